import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// Where the key of a request comes from.
enum IdempotencyKey: Sendable {
  /// The session makes one for each request.
  case fresh
  /// The program says it.
  case given(String)

  /// 128 random bits as a UUID of version 4, in quotes, as the field's draft writes it.
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
