import LupineSupport

/// The shapes of tokens that well-known services issue.
enum TokenShape {
  /// The minimum length of a token: `xoxb-` and ten letters.
  static let minimumLength = 15

  /// The number of bytes behind a prefix that are looked at.
  private static let maximumLength = 128

  /// Whether a byte can belong to a token of a known shape.
  static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == .dot
  }

  private struct Shape {
    let prefixes: [String]
    let name: String
    let minimum: Int
    /// The bytes behind the prefix.
    let belongs: @Sendable (UInt8) -> Bool
    /// Whether a digit must be among them, which tells a token from words that are joined by hyphens.
    var needsDigit = false
  }

  private static let shapes = [
    Shape(prefixes: ["AKIA", "ASIA"], name: "an access key of Amazon Web Services", minimum: 16) {
      $0.isUpper || $0.isDigit
    },
    Shape(prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], name: "a token of GitHub", minimum: 30, belongs: isWord),
    Shape(prefixes: ["github_pat_"], name: "a token of GitHub", minimum: 22, belongs: isWord),
    Shape(prefixes: ["glpat-"], name: "a token of GitLab", minimum: 20, belongs: isWordOrHyphen),
    Shape(prefixes: ["sk-"], name: "a secret key (sk-…)", minimum: 20, belongs: isWordOrHyphen, needsDigit: true),
    Shape(
      prefixes: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], name: "a secret key of Stripe", minimum: 16,
      belongs: isWord),
    Shape(
      prefixes: ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], name: "a token of Slack", minimum: 10,
      belongs: isWordOrHyphen, needsDigit: true),
  ]

  @Sendable private static func isWord(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_")
  }

  @Sendable private static func isWordOrHyphen(_ byte: UInt8) -> Bool { isWord(byte) || byte == UInt8(ascii: "-") }

  /// Returns the first token in a run of token bytes, with its name.
  ///
  /// - Parameter isCut: whether the run is the end of a longer one, so that no token begins with its first byte.
  static func find(in run: ArraySlice<UInt8>, isCut: Bool) -> (range: Range<Int>, name: String)? {
    var isBoundary = !isCut
    // Within the header of what is no token, no other one has a payload.
    var header = run.startIndex..<run.startIndex
    for position in run.indices {
      if isBoundary {
        let text = run[position...]
        if let found = token(in: text) { return found }
        if position >= header.upperBound, text.starts(with: object) {
          header = position..<text.prefix(while: isWordOrHyphen).endIndex
          if let end = webToken(text) { return (position..<end, "a JSON Web Token") }
        }
      }
      isBoundary = !(run[position].isLetter || run[position].isDigit)
    }
    return nil
  }

  private static func token(in text: ArraySlice<UInt8>) -> (range: Range<Int>, name: String)? {
    for shape in shapes {
      guard let prefix = shape.prefixes.first(where: { text.starts(with: $0.utf8) }) else { continue }
      let rest = text.dropFirst(prefix.utf8.count).prefix(maximumLength).prefix(while: shape.belongs)
      guard rest.count >= shape.minimum, !shape.needsDigit || rest.contains(where: \.isDigit) else { continue }
      return (text.startIndex..<rest.endIndex, shape.name)
    }
    return nil
  }

  /// The beginning of an object in base64url.
  private static let object = Array("eyJ".utf8)

  /// Returns the end of a JSON Web Token (RFC 7519), whose header and payload are objects in base64url.
  private static func webToken(_ text: ArraySlice<UInt8>) -> Int? {
    let header = text.prefix(while: isWordOrHyphen)
    let rest = text[header.endIndex...].dropFirst()
    guard header.count >= 10, rest.starts(with: object) else { return nil }
    let payload = rest.prefix(while: isWordOrHyphen)
    guard payload.count >= 10 else { return nil }
    return text[payload.endIndex...].prefix { isWordOrHyphen($0) || $0 == .dot }.endIndex
  }
}
