import CNetlink
import LupineCore

/// The attributes of a message; an invalid length ends the sequence.
struct NetlinkAttributes: Sequence, IteratorProtocol {
  struct Attribute {
    let type: Int
    let payload: UnsafeRawBufferPointer

    var number: UInt32? { payload.value(UInt32.self) }

    /// The text up to its first zero byte.
    var text: String { String(decoding: payload.prefix { $0 != 0 }, as: UTF8.self) }
    var address: IPAddress? { IPAddress(bytes: Array(payload)) }
    var nested: NetlinkAttributes { NetlinkAttributes(payload) }
  }

  private static let headerLength = MemoryLayout<rtattr>.size
  /// The two most significant bits of the type are flags.
  private static let typeMask: UInt16 = 0x3FFF
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  mutating func next() -> Attribute? {
    guard let header = rest.value(rtattr.self) else { return nil }
    let length = Int(header.rta_len)
    guard length >= Self.headerLength, length <= rest.count else { return nil }
    let payload = UnsafeRawBufferPointer(rebasing: rest[Self.headerLength..<length])
    rest = rest.dropping(length)
    return Attribute(type: Int(header.rta_type & Self.typeMask), payload: payload)
  }
}
