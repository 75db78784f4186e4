import LupineSupport

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.6.1).
public struct AuthenticationChallenge: Sendable, Hashable {
  /// The scheme as received.
  public let scheme: String
  /// The parameters, with names in lower case.
  ///
  /// Of a repeated name the first counts.
  public let parameters: [String: String]
  /// The `token68` after the scheme, as Negotiate uses it; `nil` if there is a list of parameters.
  public let token: String?

  /// The protection space, if the server sent one.
  public var realm: String? { parameters["realm"] }

  /// Parses the challenges of the fields' values and skips malformed ones.
  public static func parse(_ values: [String]) -> [AuthenticationChallenge] {
    values.flatMap { value in
      var parser = ChallengeParser(value)
      return parser.parse()
    }
  }
}

/// Parses the challenges of one field value (RFC 9110 section 11.6.1).
struct ChallengeParser {
  private var cursor: FieldCursor
  var steps: Int { cursor.steps }

  init(_ text: String) { cursor = FieldCursor(text) }

  mutating func parse() -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    while skipSeparators(), let scheme = cursor.token() {
      guard let challenge = challenge(scheme) else { break }
      challenges.append(challenge)
    }
    return challenges
  }

  private mutating func challenge(_ scheme: String) -> AuthenticationChallenge? {
    guard cursor.peek() == UInt8(ascii: " ") else {
      return isAtListEnd() ? AuthenticationChallenge(scheme: scheme, parameters: [:], token: nil) : nil
    }
    cursor.skipWhitespace()
    if let token = token68() { return AuthenticationChallenge(scheme: scheme, parameters: [:], token: token) }
    var parameters: [String: String] = [:]
    while let name = parameterName()?.lowercased() {
      let isQuoted = cursor.peek() == UInt8(ascii: "\"")
      guard let value = isQuoted ? cursor.quotedString() : cursor.token() else { return nil }
      if parameters[name] == nil { parameters[name] = value }
      guard skipSeparators() else { break }
    }
    return AuthenticationChallenge(scheme: scheme, parameters: parameters, token: nil)
  }

  /// Parses a parameter's name and its equals sign.
  ///
  /// A token without one is the next challenge's scheme and is not consumed.
  private mutating func parameterName() -> String? {
    let start = cursor.position
    guard let name = cursor.token() else { return nil }
    cursor.skipWhitespace()
    guard cursor.take(UInt8(ascii: "=")) else {
      cursor.goBack(to: start)
      return nil
    }
    cursor.skipWhitespace()
    return name
  }

  /// Parses a token68 (RFC 9110 section 11.2) that ends at a comma or at the end of the value; otherwise consumes
  /// nothing.
  private mutating func token68() -> String? {
    let start = cursor.position
    while let byte = cursor.peek(), byte.isTokenByte || byte == UInt8(ascii: "/") { cursor.advance() }
    let hasBody = cursor.position > start
    while cursor.take(UInt8(ascii: "=")) {}
    let end = cursor.position
    cursor.skipWhitespace()
    guard hasBody, isAtListEnd() else {
      cursor.goBack(to: start)
      return nil
    }
    return cursor.text(start..<end)
  }

  private mutating func isAtListEnd() -> Bool { cursor.isAtEnd || cursor.peek() == UInt8(ascii: ",") }

  /// Skips commas and white space; returns false at the end.
  private mutating func skipSeparators() -> Bool {
    repeat { cursor.skipWhitespace() } while cursor.take(UInt8(ascii: ","))
    return !cursor.isAtEnd
  }
}
