import HTTPTypes
import LupineCore
import LupineSupport

/// A line of a head that is a field.
final class FieldLine {
  let field: HTTPField
  /// Where the value stands in the line.
  let value: Range<Int>
  /// Whether it says how long the body is.
  let isFraming: Bool
  /// Whether it may be kept after its head: a cookie is a secret, and seldom comes twice.
  let isRemembered: Bool
  /// The line without its end.
  let bytes: [UInt8]

  /// Reads a line; `nil` where it has no colon.
  init?(_ line: UnsafeRawBufferPointer, _ names: FieldNames) throws(LupineError) {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    guard let name = names.name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else {
      throw MalformedResponse.fieldName.error
    }
    value = Self.trimmed(line, from: colon + 1)
    field = try Self.field(name, UnsafeRawBufferPointer(rebasing: line[value]))
    isFraming = name == .contentLength || name == .transferEncoding
    isRemembered = name != .setCookie
    bytes = Array(line)
  }

  /// Whether it was made of the same bytes.
  func isSpelled(_ line: UnsafeRawBufferPointer) -> Bool { bytes.isSame(as: line) }

  private static func trimmed(_ line: UnsafeRawBufferPointer, from start: Int) -> Range<Int> {
    var start = start
    var end = line.count
    while start < end, line[start].isBlank { start += 1 }
    while start < end, line[end - 1].isBlank { end -= 1 }
    return start..<end
  }

  /// Plain text, as nearly all values are, needs no search for its encoding.
  private static func field(
    _ name: HTTPField.Name, _ value: UnsafeRawBufferPointer
  ) throws(LupineError) -> HTTPField {
    var union: UInt8 = 0
    for byte in value {
      guard byte.isFieldByte else { throw MalformedResponse.fieldValue.error }
      union |= byte
    }
    guard union < 0x80 else { return HTTPField(name: name, value: value) }
    return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
  }
}
