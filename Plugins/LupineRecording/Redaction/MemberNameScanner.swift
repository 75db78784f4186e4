import LupineSupport

/// Finds values with a secret name in JSON and in multipart bodies that arrive in pieces.
struct MemberNameScanner {
  private enum State {
    case outside
    case inString(isEscaped: Bool)
    case afterString
    case afterColon
    case inText
    case inNumber(digits: Int)
  }

  private static let maximumName = 64
  private static let maximumPlaceholder = 24

  private var state = State.outside
  private var string: [UInt8] = []
  private var start = 0
  /// The last five bytes outside of strings.
  private var before: UInt64 = 0
  private static let nameParameter = "name=".utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }

  mutating func add(_ byte: UInt8, at place: Int, _ rules: SecretRules) -> SecretFinding? {
    switch state {
    case .outside: readOutside(byte, at: place)
    case .inString(let isEscaped): return readName(byte, isEscaped, rules)
    case .afterString where byte.isJSONSpace: break
    case .afterString:
      let isSecret = byte == .colon && rules.isSecret(member: String(decoding: string, as: UTF8.self))
      state = isSecret ? .afterColon : .outside
      if byte != .colon { readOutside(byte, at: place) }
    case .afterColon: return readValue(byte)
    case .inText:
      if byte == UInt8(ascii: "\"") {
        state = .outside
        return rules.mayStay(string) ? nil : finding
      }
      string.append(byte)
      if string.count > Self.maximumPlaceholder { return finding }
    case .inNumber(let digits):
      guard byte.isDigit else {
        state = .outside
        break
      }
      state = .inNumber(digits: digits + 1)
      if digits == 3 { return finding }
    }
    return nil
  }

  private var finding: SecretFinding { SecretFinding(meaning: "a value with a secret name", byte: start + 1) }

  private mutating func readOutside(_ byte: UInt8, at place: Int) {
    if byte == UInt8(ascii: "\"") {
      (state, string, start) = (.inString(isEscaped: false), [], place)
    } else {
      before = (before << 8 | UInt64(byte)) & 0xFF_FFFF_FFFF
    }
  }

  private mutating func readName(_ byte: UInt8, _ isEscaped: Bool, _ rules: SecretRules) -> SecretFinding? {
    if byte == UInt8(ascii: "\""), !isEscaped {
      state = .afterString
      let isParameter = before == Self.nameParameter
      before = 0
      return isParameter && rules.isSecret(member: String(decoding: string, as: UTF8.self)) ? finding : nil
    }
    if string.count < Self.maximumName { string.append(byte) }
    state = .inString(isEscaped: byte == .backslash && !isEscaped)
    return nil
  }

  private mutating func readValue(_ byte: UInt8) -> SecretFinding? {
    switch byte {
    case UInt8(ascii: "\""): (state, string) = (.inText, [])
    case _ where byte.isDigit: state = .inNumber(digits: 1)
    case UInt8(ascii: "-"): state = .inNumber(digits: 0)
    case UInt8(ascii: "{"), .openBracket: return finding
    case _ where byte.isJSONSpace: break
    default: state = .outside
    }
    return nil
  }
}
