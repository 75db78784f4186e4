import HTTPTypes
import LupineSupport

/// What may stand in a field (RFC 9110 section 5.5).
public enum FieldRules {
  /// Whether a value has no control byte but tabs inside, and no white space at its ends.
  public static func isValid(value: String) -> Bool {
    var value = value
    return value.withUTF8 { isValid($0) }
  }

  /// Whether a value's bytes have no control byte but tabs inside, and no white space at its ends.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return true }
    return !first.isBlank && !last.isBlank && areFieldBytes(UnsafeRawBufferPointer(bytes))
  }

  /// Refuses a request whose fields no transport may send, or which come to more bytes than the limit.
  package static func check(_ request: OutgoingRequest, limit: Int) throws(LupineError) {
    let facts = request.fieldFacts
    if facts.findings.isDisjoint(with: .refused), facts.size <= limit { return }
    throw error(facts, request.headers, limit)
  }

  private static func error(_ facts: FieldFacts, _ fields: HTTPFields, _ limit: Int) -> LupineError {
    if facts.findings.contains(.invalidName) {
      return LupineError(
        .invalidRequest, "A field's name holds a byte that no name may hold, or none (RFC 9110 section 5.1).")
    }
    if facts.findings.contains(.invalidValue) {
      let names = fields.lazy.filter { !$0.withUnsafeBytesOfValue(isValid) }.map(\.name.rawName)
      return LupineError(
        .invalidRequest,
        "The value of \(names.first ?? "a field") has a control byte, or white space at its ends (RFC 9110 section 5.5)."
      )
    }
    if facts.findings.contains(.framing) {
      let name = fields.contains(.contentLength) ? HTTPField.Name.contentLength : .transferEncoding
      return LupineError(.invalidRequest, "\(name) is the transport's to set; give the body its length instead.")
    }
    return LupineError(
      .limitExceeded(.requestFields),
      "The request's fields come to \(facts.size) bytes, more than \(limit), the limit requestFields; send less, or raise it."
    )
  }

  /// Looks at eight bytes at once, since every request's fields are looked at.
  private static func areFieldBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if mayHoldControl(word), !bytes[position..<position + 8].allSatisfy(\.isFieldByte) { return false }
      position += 8
    }
    return bytes[position...].allSatisfy(\.isFieldByte)
  }

  /// Whether one of the bytes is less than a space, or DEL: what borrows in a subtraction, or is zero once DEL is taken
  /// off, has its top bit set without having had it before.
  private static func mayHoldControl(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let rest = word ^ (ones &* 0x7F)
    let below = (word &- ones &* 0x20) & ~word
    let equal = (rest &- ones) & ~rest
    return (below | equal) & (ones &* 0x80) != 0
  }
}
