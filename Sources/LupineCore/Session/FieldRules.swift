import HTTPTypes

/// What may stand in a field (RFC 9110 section 5.5).
package enum FieldRules {
  /// Whether a value has no control byte but tabs inside, and no white space at its ends.
  package static func isValid(value: String) -> Bool {
    var value = value
    return value.withUTF8 { isValid($0) }
  }

  /// Whether a value's bytes have no control byte but tabs inside, and no white space at its ends.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return true }
    return !first.isBlank && !last.isBlank && areFieldBytes(UnsafeRawBufferPointer(bytes))
  }

  /// Refuses a request of whose fields one has a value that is not valid; returns what else a look at them tells.
  @discardableResult
  package static func check(_ request: OutgoingRequest) throws(LupineError) -> FieldFacts {
    let facts = request.fieldFacts
    guard facts.findings.contains(.invalidValue) else { return facts }
    let names = request.headers.lazy.filter { !$0.withUnsafeBytesOfValue(isValid) }.map(\.name.rawName)
    throw LupineError(
      .invalidRequest,
      "The value of \(names.first ?? "a field") has a control byte, or white space at its ends (RFC 9110 section 5.5).")
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
