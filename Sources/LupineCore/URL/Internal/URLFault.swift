/// Why a text is no URL; the one place that words it.
///
/// Nothing of the text is quoted but a scheme: a piece that looks harmless may be half of a password.
enum URLFault: Error {
  case tooLong(limit: Int)
  case outerSpace
  case control(at: Int)
  case backslash(at: Int)
  case badPercent(at: Int)
  case noScheme
  case scheme(String?)
  case noSlashes(at: Int)
  case userinfo(at: Int)
  case emptyHost(at: Int)
  case hostSpace(at: Int)
  case hostPercent(at: Int)
  case hostNotASCII(at: Int)
  case hostByte(at: Int)
  case emptyLabel(at: Int)
  case longLabel(at: Int)
  case longHost(at: Int)
  case ipv4(at: Int)
  case ipv6(at: Int)
  case zone(at: Int)
  case openBracket(at: Int)
  case port(at: Int)
  case pathWithoutSlash
  case delimiter(String, in: String, encoded: String)
  case networkPath
  case climbs
  case baseWithQuery
  case noBase
  case components

  var error: LupineError { LupineError(.invalidURL, message) }
}
