import Glibc
import HTTPTypes
import LupineCore

/// Remembers the lines of heads that arrive again and again, which saves checking them and making their text: servers
/// say most of what they say in the same words each time.
final class KnownLines {
  private static let slots = 256
  /// In bytes; a shorter line costs little, and a longer one seldom comes twice.
  private static let lengths = 8...128
  private let names = FieldNames()
  private var fields = [FieldLine?](repeating: nil, count: slots)
  private var status: (bytes: [UInt8], line: StatusLine)?
  private var lastLines: [FieldLine] = []
  private var lastFields = HTTPFields()

  /// The field that a line spells; `nil` where it has no colon.
  func field(_ line: UnsafeRawBufferPointer) throws(LupineError) -> FieldLine? {
    guard Self.lengths.contains(line.count) else { return try FieldLine(line, names) }
    let slot = Self.slot(line)
    if let known = fields[slot], known.isSpelled(line) { return known }
    let field = try FieldLine(line, names)
    if let field, !field.isSecret { fields[slot] = field }
    return field
  }

  func statusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) -> StatusLine {
    if let status, status.bytes.isSame(as: line) { return status.line }
    let made = try StatusLine(line)
    if line.count <= Self.lengths.upperBound { status = (Array(line), made) }
    return made
  }

  /// Joins fields in their order; those that stood in the same place in the last head are taken over from it.
  func join(_ lines: [FieldLine]) -> HTTPFields {
    guard lines.allSatisfy({ !$0.isSecret }) else { return HTTPFields(lines.map(\.field)) }
    if lines.count == lastLines.count {
      for index in lines.indices where lines[index] !== lastLines[index] { lastFields[index] = lines[index].field }
    } else {
      lastFields = HTTPFields(lines.map(\.field))
    }
    lastLines = lines
    return lastFields
  }

  /// The length and both ends tell most lines apart.
  private static func slot(_ line: UnsafeRawBufferPointer) -> Int {
    let first = line.loadUnaligned(as: UInt64.self)
    let last = line.loadUnaligned(fromByteOffset: line.count - 8, as: UInt64.self)
    let hash = (first ^ (last &* 31) ^ UInt64(line.count)) &* 0x9E37_79B9_7F4A_7C15
    return Int(hash >> 56)
  }
}

/// A line of a head that is a field.
final class FieldLine {
  let field: HTTPField
  /// Where the value stands in the line.
  let value: Range<Int>
  /// Whether it says how long the body is.
  let isFraming: Bool
  /// Whether it must not be remembered; a cookie is seldom the same anyway.
  let isSecret: Bool
  private let bytes: [UInt8]

  /// Reads a line; `nil` where it has no colon.
  init?(_ line: UnsafeRawBufferPointer, _ names: FieldNames) throws(LupineError) {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    guard let name = names.name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else {
      throw MalformedResponse.fieldName.error
    }
    value = Self.trimmed(line, from: colon + 1)
    field = try Self.field(name, UnsafeRawBufferPointer(rebasing: line[value]))
    isFraming = name == .contentLength || name == .transferEncoding
    isSecret = name == .setCookie
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

extension [UInt8] {
  fileprivate func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
    guard count == bytes.count, let base = bytes.baseAddress else { return false }
    return withUnsafeBytes { $0.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? true }
  }
}
