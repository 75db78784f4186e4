import CLibcurl
import LupineCore

/// Owns a libcurl URL, whose parts are set without parsing.
final class URLHandle {
  let pointer: OpaquePointer
  private var current: HTTPURL?

  init() throws(LupineError) {
    guard let pointer = curl_url() else { throw LupineError(.other, "libcurl has no memory for a URL.") }
    self.pointer = pointer
  }

  deinit { curl_url_cleanup(pointer) }

  /// Sets the parts that differ from the last URL; returns false if the URL is the same.
  func set(_ url: HTTPURL) throws(LupineError) -> Bool {
    let old = current
    if old?.string == url.string { return false }
    current = nil
    if old?.origin != url.origin {
      try set(CURLUPART_SCHEME, url.scheme.rawValue)
      try set(CURLUPART_HOST, url.hostKind == .ipv6 ? "[\(url.hostWithoutZone)]" : url.host)
      try set(CURLUPART_PORT, url.port.map { "\($0)" })
    }
    try set(CURLUPART_PATH, url.path)
    try set(CURLUPART_QUERY, url.query)
    current = url
    return true
  }

  private func set(_ part: CURLUPart, _ value: String?) throws(LupineError) {
    let code = value == nil ? curl_url_set(pointer, part, nil, 0) : curl_url_set(pointer, part, value, 0)
    guard code == CURLUE_OK else {
      throw LupineError(.invalidURL, "libcurl rejects the URL: \(String(cString: curl_url_strerror(code))).")
    }
  }
}

extension HTTPURL {
  /// The request target, if libcurl must send it verbatim; nil if libcurl may build it from the URL's parts.
  ///
  /// libcurl writes the digits of percent-encoded bytes in lower case, which invalidates a signed URL and the key of a
  /// cached one. The characters of the target have been checked before.
  func verbatimTarget(for proxy: Proxy?) -> String? {
    let target = includesOrigin(for: proxy) ? absoluteTarget : requestTarget
    return target.hasCapitalInEscape ? target : nil
  }

  /// Whether a proxy forwards the request and therefore receives the whole URL (RFC 9112 section 3.2.2).
  private func includesOrigin(for proxy: Proxy?) -> Bool {
    guard let proxy else { return false }
    return proxy.kind != .socks5 && scheme == .http
  }
}

extension String {
  /// Whether a percent-encoded byte contains a capital letter.
  fileprivate var hasCapitalInEscape: Bool {
    guard utf8.contains(0x25) else { return false }
    return utf8.split(separator: 0x25, omittingEmptySubsequences: false).dropFirst()
      .contains { $0.prefix(2).contains { (0x41...0x46).contains($0) } }
  }
}
