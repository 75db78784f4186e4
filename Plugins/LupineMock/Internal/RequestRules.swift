import HTTPTypes
import LupineCore

/// Refuses what no transport may send.
enum RequestRules {
  static func check(_ fields: HTTPFields) throws(LupineError) {
    for field in fields where !field.withUnsafeBytesOfValue(isSendable) {
      throw LupineError(
        .invalidRequest,
        "The value of \(field.name) holds a control byte, or a space at its end (RFC 9110 section 5.5).")
    }
  }

  private static func isSendable(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = value.first, let last = value.last else { return true }
    if isBlank(first) || isBlank(last) { return false }
    return value.allSatisfy { $0 >= 0x20 ? $0 != 0x7F : $0 == 0x09 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
