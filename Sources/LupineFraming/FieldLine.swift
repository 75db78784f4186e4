import HTTPTypes
import LupineCore
import LupineSupport

/// The field of a line of a head or of trailers, with what it means for a reader.
final class FieldLine {
  let field: HTTPField
  /// Whether the field determines the length of the body.
  let isFraming: Bool
  /// Whether the field has the connection option `close` (RFC 9112 section 9.6).
  let closes: Bool
  /// Whether the line may be cached.
  ///
  /// False for a field whose value may be a secret, such as a cookie.
  let isCacheable: Bool
  /// The line without its line end; empty if it is not kept.
  let bytes: [UInt8]

  /// Parses a line without its line end; `nil` if it has no colon.
  ///
  /// - Parameter isKept: whether to keep the line's bytes if the line may be cached.
  /// - Throws: `LupineError` of kind `malformedResponse` if the name or the value contains a byte that is not allowed.
  init?(_ line: UnsafeRawBufferPointer, _ names: FieldNameCache, isKept: Bool) throws(LupineError) {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    guard let name = names.name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else {
      throw MalformedResponse.fieldName.error
    }
    let value = Self.trimmed(line, from: colon + 1)
    field = try Self.field(name.name, value)
    isFraming = name.isFraming
    closes = name.isConnection && Self.hasClose(value)
    isCacheable = !name.isSecret
    bytes = isKept && isCacheable ? Array(line) : []
  }

  /// Whether the line is compared with later ones.
  var isCached: Bool { !bytes.isEmpty }

  private static func trimmed(_ line: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer {
    var start = start
    var end = line.count
    while start < end, line[start].isBlank { start += 1 }
    while start < end, line[end - 1].isBlank { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  private static func hasClose(_ options: UnsafeRawBufferPointer) -> Bool {
    options.split { $0 == 0x2C || $0.isBlank }.contains { option in
      option.count == 5 && zip(option, "close".utf8).allSatisfy { $0 | 0x20 == $1 }
    }
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
