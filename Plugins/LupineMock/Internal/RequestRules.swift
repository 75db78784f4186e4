import HTTPTypes
import LupineCore

/// Refuses what no transport may send.
enum RequestRules {
  static func check(_ fields: HTTPFields) throws(LupineError) {
    for field in fields where !field.withUnsafeBytesOfValue(FieldRules.isValid) {
      throw LupineError(
        .invalidRequest,
        "The value of \(field.name) holds a control byte, or a space at its end (RFC 9110 section 5.5).")
    }
  }
}
