import FoundationEssentials
import LupineCore

/// Enforces the rules of RFC 8259 that Foundation's decoder does not check; that decoder reports all other errors.
///
/// A comma before a closing bracket is refused. Of several members with one name the last one counts, as in
/// `JSON.parse` (ECMA-262 section 25.5.1) and `JSONSerialization`; Foundation's decoder would use the first one.
enum JSONGuard {
  /// Returns the text without members that a later one with the same name replaces; the text is UTF-8 if it is changed.
  ///
  /// - Throws: `DecodingError` if there is a comma before a closing bracket.
  static func check(_ data: Data) throws -> Data {
    guard let text = utf8(data) else { return data }
    var scanner = JSONScanner()
    try text.withUnsafeBytes { try scanner.scan($0) }
    return scanner.removals.isEmpty ? data : cut(text, scanner.removals)
  }

  /// Returns the text in UTF-8; `nil` if its encoding is not one of JSON's.
  private static func utf8(_ data: Data) -> Data? {
    guard let encoding = encoding(of: data) else { return data }
    return try? Data(encoding.decode(data).utf8)
  }

  /// Returns the encoding, from the byte order mark or the zero bytes of the first characters (RFC 4627 section 3);
  /// `nil` for UTF-8.
  private static func encoding(of data: Data) -> TextEncoding? {
    if let mark = ByteOrderMark(startOf: data) { return mark == .utf8 ? nil : mark.encoding }
    switch data.prefix(4).map({ $0 == 0 }) {
    case [true, true, true, false]: return TextEncoding("UTF-32BE")
    case [false, true, true, true]: return TextEncoding("UTF-32LE")
    case let zeros where zeros.first == true: return .utf16BigEndian
    case let zeros where zeros.count > 1 && zeros[1]: return .utf16LittleEndian
    default: return nil
    }
  }

  /// Returns the text without these ranges, which may contain each other.
  private static func cut(_ text: Data, _ removals: [Range<Int>]) -> Data {
    var kept = Data()
    var position = 0
    for range in removals.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > position {
      if range.lowerBound > position { kept.append(text.dropFirst(position).prefix(range.lowerBound - position)) }
      position = range.upperBound
    }
    kept.append(text.dropFirst(position))
    return kept
  }
}

/// The maximum nesting of a value; decoders recurse once for each level.
enum NestingDepth {
  static let limit = JSONValue.maximumDepth

  static var exceeded: LupineError {
    LupineError(.limitExceeded(.nesting), "The body is nested more than \(limit) levels deep (limit `nesting`).")
  }

  /// Returns the levels of arrays and objects in JSON text; brackets inside strings do not count.
  static func json(_ data: Data) -> Int {
    var depth = 0
    var deepest = 0
    var isInString = false
    var isEscaped = false
    for byte in data {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return deepest
  }
}
