import CLibcurl
import LupineCore

/// Owns a libcurl URL, whose parts are set without parsing.
final class TargetURL {
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
    if old?.scheme != url.scheme || old?.authority != url.authority {
      try set(CURLUPART_SCHEME, url.scheme.rawValue)
      try set(CURLUPART_HOST, url.hostKind == .ipv6 ? "[\(url.host)]" : url.host)
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
      throw LupineError(.invalidURL, "libcurl refuses the URL: \(String(cString: curl_url_strerror(code))).")
    }
  }
}
