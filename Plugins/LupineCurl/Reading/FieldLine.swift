import HTTPTypes
import LupineCore
import LupineSupport

/// A field line of a head or of trailers.
final class FieldLine {
  let field: HTTPField
  /// The range of the value in the line.
  let value: Range<Int>
  /// Whether the field determines the length of the body.
  let isFraming: Bool
  /// Whether the line may be cached.
  ///
  /// False for a cookie, which is a secret and rarely repeats.
  let isCacheable: Bool
  /// The line without its line end.
  let bytes: [UInt8]

  /// Parses a line; `nil` if it has no colon.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` if the name or the value contains a byte that is not allowed.
  init?(_ line: UnsafeRawBufferPointer, _ names: FieldNameCache) throws(LupineError) {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    guard let name = names.name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else {
      throw MalformedResponse.fieldName.error
    }
    value = Self.trimmed(line, from: colon + 1)
    field = try Self.field(name, UnsafeRawBufferPointer(rebasing: line[value]))
    isFraming = name == .contentLength || name == .transferEncoding
    isCacheable = name != .setCookie
    bytes = Array(line)
  }

  /// Whether the line was parsed from the same bytes.
  func isEqual(to line: UnsafeRawBufferPointer) -> Bool { bytes.isEqual(to: line) }

  private static func trimmed(_ line: UnsafeRawBufferPointer, from start: Int) -> Range<Int> {
    var start = start
    var end = line.count
    while start < end, line[start].isBlank { start += 1 }
    while start < end, line[end - 1].isBlank { end -= 1 }
    return start..<end
  }

  /// Creates the field; a value that is not ASCII is decoded as UTF-8.
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

/// Caches field names that arrive repeatedly, so that they are not validated and lowercased again.
final class FieldNameCache {
  private static let slots = 256
  private static let longest = 48
  private var cached = [HTTPField.Name?](repeating: nil, count: slots)

  /// Returns the name in these bytes; `nil` if they are not a token.
  func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    guard bytes.count <= Self.longest else { return Self.make(bytes) }
    var hash: UInt32 = 2_166_136_261
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    let slot = Int((hash ^ (hash >> 15)) % UInt32(Self.slots))
    if let name = cached[slot], Self.isEqual(name.rawName, bytes) { return name }
    let name = Self.make(bytes)
    if name != nil { cached[slot] = name }
    return name
  }

  private static func isEqual(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.utf8.count == bytes.count else { return false }
    return text.utf8.withContiguousStorageIfAvailable { $0.elementsEqual(bytes) }
      ?? text.utf8.elementsEqual(bytes)
  }

  private static func make(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    guard !bytes.isEmpty, bytes.allSatisfy(\.isTokenByte) else { return nil }
    return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
  }
}
