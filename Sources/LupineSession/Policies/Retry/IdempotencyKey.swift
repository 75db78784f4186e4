import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// The source of a request's idempotency key.
enum IdempotencyKey: Sendable {
  /// The session generates a key for each request.
  case fresh
  /// The program sets the key.
  case given(String)

  /// A UUID of version 4 from 128 random bits, in quotes as in the field's draft.
  static func make(_ random: () -> UInt64) -> String {
    let high = random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = Hexadecimal.text(high, digits: 16) + Hexadecimal.text(low, digits: 16)
    var groups: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return "\"" + groups.joined(separator: "-") + "\""
  }
}
