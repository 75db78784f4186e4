import HTTPTypes

/// What may stand in a field (RFC 9110 section 5.5).
enum FieldRules {
  /// Whether a value has no control byte but tabs inside, and no white space at its ends.
  static func isValid(value: String) -> Bool {
    let bytes = value.utf8
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return false }
    let blank: (UInt8?) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    return !blank(bytes.first) && !blank(bytes.last)
  }
}
