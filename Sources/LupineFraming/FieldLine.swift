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
  /// False for a field whose value may be a secret, such as a cookie, and for one that a strict reader refuses.
  let isCacheable: Bool
  /// Whether control bytes of the value were replaced by spaces.
  let hadControlBytes: Bool
  /// The line without its line end; empty if it is not kept.
  let bytes: [UInt8]

  /// Parses a line without its line end; `nil` if it has no colon.
  ///
  /// - Parameters:
  ///   - isKept: whether to keep the line's bytes if the line may be cached.
  ///   - takesControlBytes: whether to accept control bytes in the value, except CR, LF and NUL.
  /// - Throws: `LupineError` of kind `malformedResponse` if the name or the value contains a byte that is not allowed.
  init?(
    _ line: UnsafeRawBufferPointer, _ names: FieldNameCache, isKept: Bool, takesControlBytes: Bool
  ) throws(LupineError) {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    guard let name = names.name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else {
      throw MalformedResponse.fieldName.error
    }
    let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks()
    let bytes = try Self.check(value)
    if bytes.hasControlBytes {
      guard !name.isFraming, !name.isConnection else { throw MalformedResponse.framingValue.error }
      guard takesControlBytes else { throw MalformedResponse.controlByte.error }
    }
    field = Self.field(name.name, value, isASCII: bytes.isASCII)
    hadControlBytes = bytes.hasControlBytes
    isFraming = name.isFraming
    closes = name.isConnection && Self.hasClose(value)
    isCacheable = !name.isSecret && !hadControlBytes
    self.bytes = isKept && isCacheable ? Array(line) : []
  }

  /// Whether the line is compared with later ones.
  var isCached: Bool { !bytes.isEmpty }

  private static func hasClose(_ options: UnsafeRawBufferPointer) -> Bool {
    options.split { $0 == 0x2C || $0.isBlank }.contains { option in
      option.count == 5 && zip(option, "close".utf8).allSatisfy { $0 | 0x20 == $1 }
    }
  }

  /// Whether a value is ASCII, and whether it has control bytes.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` for CR, LF and NUL, which no reader accepts.
  private static func check(
    _ value: UnsafeRawBufferPointer
  ) throws(LupineError) -> (isASCII: Bool, hasControlBytes: Bool) {
    var union: UInt8 = 0
    var hasControlBytes = false
    for byte in value {
      union |= byte
      if byte.isFieldByte { continue }
      guard byte != 0, byte != 0x0A, byte != 0x0D else { throw MalformedResponse.fieldValue.error }
      hasControlBytes = true
    }
    return (union < 0x80, hasControlBytes)
  }

  /// Creates the field; a value that is not ASCII is decoded as UTF-8.
  ///
  /// `HTTPField` replaces each control byte by a space.
  private static func field(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer, isASCII: Bool) -> HTTPField {
    guard isASCII else { return HTTPField(name: name, value: value) }
    return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
  }
}
