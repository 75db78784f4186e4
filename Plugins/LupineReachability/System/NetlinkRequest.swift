import CNetlink
import LupineCore

/// A request to the kernel.
enum NetlinkRequest: Equatable {
  /// All entries of one table.
  case dump(KernelTable)
  /// The route to an address.
  case route(IPAddress)
  /// An acknowledgement only, which wakes the thread that waits at the socket.
  case wake

  /// Returns the encoded message.
  func bytes(sequence: UInt32) -> [UInt8] {
    let request = NLM_F_REQUEST
    switch self {
    case .dump(.links):
      // Without statistics, the messages are much smaller.
      let content = Self.bytes(of: ifinfomsg()) + Self.attribute(IFLA_EXT_MASK, Self.bytes(of: UInt32(8)))
      return Self.message(RTM_GETLINK, request | NLM_F_DUMP, sequence, content)
    case .dump(.addresses):
      return Self.message(RTM_GETADDR, request | NLM_F_DUMP, sequence, Self.bytes(of: ifaddrmsg()))
    case .dump(.routes):
      return Self.message(RTM_GETROUTE, request | NLM_F_DUMP, sequence, Self.bytes(of: rtmsg()))
    case .route(let address):
      var header = rtmsg()
      header.rtm_family = UInt8(address.family.number)
      header.rtm_dst_len = UInt8(address.bytes.count * 8)
      let content = Self.bytes(of: header) + Self.attribute(Int(RTA_DST.rawValue), address.bytes)
      return Self.message(RTM_GETROUTE, request, sequence, content)
    case .wake: return Self.message(Int(NLMSG_NOOP), request | NLM_F_ACK, sequence, [])
    }
  }

  private static func message(_ type: Int, _ flags: Int32, _ sequence: UInt32, _ content: [UInt8]) -> [UInt8] {
    var header = nlmsghdr()
    header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + content.count)
    header.nlmsg_type = UInt16(type)
    header.nlmsg_flags = UInt16(flags)
    header.nlmsg_seq = sequence
    return bytes(of: header) + content
  }

  private static func attribute(_ type: Int, _ content: [UInt8]) -> [UInt8] {
    let header = rtattr(rta_len: UInt16(MemoryLayout<rtattr>.size + content.count), rta_type: UInt16(type))
    return bytes(of: header) + content
  }

  private static func bytes<Value: BitwiseCopyable>(of value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }
}

/// The kernel's tables that a monitor reads.
enum KernelTable: CaseIterable, Hashable {
  case links
  case addresses
  case routes
}
