public import HTTPTypes
import LupineFoundation
import LupineSupport

/// The rules for field values (RFC 9110 section 5.5).
public enum FieldRules {
  /// Whether a value has no control byte except tabs inside, and no white space at its ends.
  public static func isValid(value: String) -> Bool {
    var value = value
    return value.withUTF8 { isValid($0) }
  }

  /// Whether the bytes of a value have no control byte except tabs inside, and no white space at its ends.
  static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return true }
    return !first.isBlank && !last.isBlank && areFieldBytes(UnsafeRawBufferPointer(bytes))
  }

  /// Checks eight bytes at once, because the check runs for every request.
  private static func areFieldBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if mayHoldControl(word), !bytes[position..<position + 8].allSatisfy(\.isFieldByte) { return false }
      position += 8
    }
    return bytes[position...].allSatisfy(\.isFieldByte)
  }

  /// Whether one of the bytes may be less than a space, or DEL.
  ///
  /// Such a byte borrows in a subtraction, or is zero after the subtraction of DEL. Its top bit is then set although it
  /// was not set before.
  private static func mayHoldControl(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let rest = word ^ (ones &* 0x7F)
    let below = (word &- ones &* 0x20) & ~word
    let equal = (rest &- ones) & ~rest
    return (below | equal) & (ones &* 0x80) != 0
  }
}

extension HTTPField.Name {
  /// `Idempotency-Key`, by which a server recognises a repeated request (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey = HTTPField.Name(constant: "Idempotency-Key")
}

extension HTTPField {
  /// `Authorization` with the Basic scheme (RFC 7617), in UTF-8.
  public static func authorization(username: String, password: String) -> HTTPField {
    HTTPField(name: .authorization, value: "Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
  }

  /// `Authorization` with the Bearer scheme (RFC 6750).
  public static func authorization(bearerToken: String) -> HTTPField {
    HTTPField(name: .authorization, value: "Bearer \(bearerToken)")
  }
}
