import LupineCore
import LupineFoundation
import LupineSupport

/// Enforces the rules of RFC 8259 that Foundation's decoder does not check; that decoder reports all other errors.
///
/// A comma before a closing bracket is refused. Of several members with one name the last one counts, as in
/// `JSON.parse` (ECMA-262 section 25.5.1) and `JSONSerialization`; Foundation's decoder would use the first one.
enum JSONGuard {
  /// Returns the text without members that a later one with the same name replaces; the text is UTF-8 if it is changed.
  ///
  /// - Throws: `TrailingComma`.
  static func check(_ data: Data) throws -> Data {
    guard let text = utf8(data) else { return data }
    var scanner = JSONScanner()
    try text.withUnsafeBytes { try scanner.scan($0) }
    return scanner.removals.isEmpty ? data : cut(text, scanner.removals)
  }

  /// Checks that a text is UTF-8.
  ///
  /// - Throws: the error of the decoder for a text that is not JSON.
  static func checkUTF8(_ data: Data) throws {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: data.span)
    } catch {
      throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: invalid))
    }
  }

  /// The description in Foundation's error of a text that is not JSON.
  static let invalid = "The given data was not valid JSON."

  /// Returns the first violation of the grammar, with its position in the text as UTF-8; `nil` if there is none.
  static func fault(in data: Data) -> JSONSyntax.Fault? { JSONSyntax.fault(in: utf8(data) ?? data) }

  /// Returns the text in UTF-8; `nil` if its encoding is not one of JSON's.
  private static func utf8(_ data: Data) -> Data? {
    guard let encoding = encoding(of: data) else { return data }
    return try? Data(encoding.decode(data).utf8)
  }

  /// Returns the encoding, from the byte order mark or the zero bytes of the first characters (RFC 4627 section 3);
  /// `nil` for UTF-8.
  private static func encoding(of data: Data) -> TextEncoding? {
    // Almost every text begins with two characters of ASCII, which no other encoding and no mark has.
    let isASCII = data.withUnsafeBytes { $0.count >= 2 && 1..<0x80 ~= $0[0] && 1..<0x80 ~= $0[1] }
    if isASCII { return nil }
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

/// Decodes the escapes of a JSON string (RFC 8259 section 7).
enum JSONEscapes {
  /// Returns the text between the quotation marks with its escapes decoded; a malformed escape is kept unchanged.
  static func undone(in text: UnsafeRawBufferPointer) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "\\"), position < text.count else {
        plain.append(byte)
        continue
      }
      if let (scalar, end) = scalar(in: text, at: position) {
        plain += String(Character(scalar)).utf8
        position = end
      } else {
        plain.append(byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// Returns the character of an escape, read from the byte after its backslash, and the position after the escape.
  private static func scalar(in text: UnsafeRawBufferPointer, at start: Int) -> (Unicode.Scalar, end: Int)? {
    let byte = text[start]
    guard byte == UInt8(ascii: "u") else { return short[byte].map { (Unicode.Scalar($0), start + 1) } }
    guard let first = unit(in: text, at: start + 1) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, start + 5) }
    guard UTF16.isLeadSurrogate(first), start + 6 < text.count, text[start + 5] == UInt8(ascii: "\\"),
      text[start + 6] == UInt8(ascii: "u"), let second = unit(in: text, at: start + 7),
      UTF16.isTrailSurrogate(second)
    else { return nil }
    let number = 0x10000 + (UInt32(first - 0xD800) << 10) + UInt32(second - 0xDC00)
    return Unicode.Scalar(number).map { ($0, start + 11) }
  }

  /// Returns the value of four hexadecimal digits; `nil` for anything else.
  private static func unit(in text: UnsafeRawBufferPointer, at start: Int) -> UInt16? {
    guard start + 4 <= text.count else { return nil }
    var unit: UInt16 = 0
    for byte in text[start..<start + 4] {
      guard let digit = Hexadecimal.value(of: byte) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  private static let short: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
    UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]
}
