import CNetlink
import LupineCore

/// The messages of one datagram (RFC 3549 section 2.3).
///
/// A header that is truncated, or whose length is shorter than the header or longer than the datagram, ends the
/// sequence.
struct NetlinkMessages: Sequence, IteratorProtocol {
  struct Message {
    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let port: UInt32
    let payload: UnsafeRawBufferPointer
  }

  private static let headerLength = MemoryLayout<nlmsghdr>.size
  private var rest: UnsafeRawBufferPointer

  init(_ datagram: UnsafeRawBufferPointer) { rest = datagram }

  mutating func next() -> Message? {
    guard let header = rest.value(nlmsghdr.self) else { return nil }
    let length = Int(header.nlmsg_len)
    guard length >= Self.headerLength, length <= rest.count else { return nil }
    let payload = UnsafeRawBufferPointer(rebasing: rest[Self.headerLength..<length])
    rest = rest.dropping(length)
    return Message(
      type: header.nlmsg_type, flags: header.nlmsg_flags, sequence: header.nlmsg_seq, port: header.nlmsg_pid,
      payload: payload)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the value at an offset, with any alignment; `nil` if it is truncated.
  func value<Value: BitwiseCopyable>(_ type: Value.Type, at offset: Int = 0) -> Value? {
    guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
    return loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// Returns the bytes after an item of this length and its padding to a multiple of 4.
  func dropping(_ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[Swift.min(count, (length + 3) & ~3)...])
  }

  /// Returns the bytes after this many bytes; `nil` if there are fewer.
  func after(_ length: Int) -> UnsafeRawBufferPointer? {
    length <= count ? UnsafeRawBufferPointer(rebasing: self[length...]) : nil
  }
}

extension NetlinkMessages.Message {
  /// Whether the table changed during the dump.
  var isInterrupted: Bool { flags & UInt16(NLM_F_DUMP_INTR) != 0 }
}

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
