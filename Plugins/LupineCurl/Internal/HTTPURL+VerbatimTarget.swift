import LupineCore

extension HTTPURL {
  /// The request target, if libcurl must send it verbatim; nil if libcurl may build it from the URL's parts.
  ///
  /// libcurl writes the digits of percent-encoded bytes in lower case, which invalidates a signed URL and the key of a
  /// cached one. The characters of the target have been checked before.
  func verbatimTarget(by proxy: Proxy?) -> String? {
    let target = isReadWhole(by: proxy) ? absoluteTarget : requestTarget
    return target.hasCapitalInEscape ? target : nil
  }

  /// Whether a proxy forwards the request and therefore receives the whole URL (RFC 9112 section 3.2.2).
  private func isReadWhole(by proxy: Proxy?) -> Bool {
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
