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
  private var blanks: [HTTPFields] = []

  /// The field that a line spells; `nil` where it has no colon.
  func field(_ line: UnsafeRawBufferPointer) throws(LupineError) -> FieldLine? {
    guard Self.lengths.contains(line.count) else { return try FieldLine(line, names) }
    let slot = Self.slot(line)
    if let known = fields[slot], known.isSpelled(line) { return known }
    let field = try FieldLine(line, names)
    // A cookie is a secret, and seldom the same.
    if let field, field.field.name != .setCookie { fields[slot] = field }
    return field
  }

  func statusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) -> StatusLine {
    if let status, status.bytes.isSame(as: line) { return status.line }
    let made = try StatusLine(line)
    if line.count <= Self.lengths.upperBound { status = (Array(line), made) }
    return made
  }

  /// Joins fields in their order; `HTTPFields` replaces a field at a fifth of what it costs to append one.
  func join(_ lines: [FieldLine]) -> HTTPFields {
    guard lines.count < Self.joinable else { return HTTPFields(lines.map(\.field)) }
    while blanks.count <= lines.count {
      blanks.append(HTTPFields(repeating: HTTPField(name: .date, value: ""), count: blanks.count))
    }
    var joined = blanks[lines.count]
    for index in lines.indices { joined[index] = lines[index].field }
    return joined
  }

  private static let joinable = 32

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
