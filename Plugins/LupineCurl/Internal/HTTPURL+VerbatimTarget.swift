import LupineCore

extension HTTPURL {
  /// The target in the request line where it is given to libcurl as a whole; nil where libcurl makes it of the parts.
  ///
  /// libcurl writes the escapes of a URL's parts in lower case, which a signed or a cached URL does not survive. What the
  /// target may hold has been checked.
  func verbatimTarget(by proxy: Proxy?) -> String? {
    let target = isReadWhole(by: proxy) ? absoluteTarget : requestTarget
    return target.hasCapitalInEscape ? target : nil
  }

  /// A proxy that forwards the request reads the whole URL (RFC 9112 section 3.2.2).
  private func isReadWhole(by proxy: Proxy?) -> Bool {
    guard let proxy else { return false }
    return proxy.kind != .socks5 && scheme == .http
  }
}

extension String {
  /// Whether one of the two digits after a `%` is a capital letter.
  fileprivate var hasCapitalInEscape: Bool {
    guard utf8.contains(0x25) else { return false }
    return utf8.split(separator: 0x25, omittingEmptySubsequences: false).dropFirst()
      .contains { $0.prefix(2).contains { (0x41...0x46).contains($0) } }
  }
}
