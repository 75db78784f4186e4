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
    return bytes.allSatisfy(\.isFieldByte) && !first.isBlank && !last.isBlank
  }
}
