/// The path matching of cookies (RFC 6265bis section 5.1.4).
enum CookiePath {
  static func matches(_ path: String, _ cookiePath: String) -> Bool {
    let (path, cookiePath) = (path.utf8, cookiePath.utf8)
    guard path.starts(with: cookiePath) else { return false }
    return path.count == cookiePath.count || cookiePath.last == 0x2F || path.dropFirst(cookiePath.count).first == 0x2F
  }

  /// Returns the default path of a cookie without a `Path` attribute.
  static func fallback(for path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
