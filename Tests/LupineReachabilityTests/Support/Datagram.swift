import CNetlink
import Glibc
import LupineCore

@testable import LupineReachability

/// A datagram of netlink messages in the form in which a kernel sends them.
struct Datagram {
  var bytes: [UInt8] = []

  /// Adds a message with its header.
  func message(
    _ type: Int, flags: Int32 = 0, sequence: UInt32 = 0, port: UInt32 = 0, _ content: [UInt8]
  ) -> Datagram {
    var header = nlmsghdr()
    header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + content.count)
    header.nlmsg_type = UInt16(type)
    header.nlmsg_flags = UInt16(flags)
    header.nlmsg_seq = sequence
    header.nlmsg_pid = port
    return Datagram(bytes: bytes + Self.padded(Self.bytes(of: header) + content))
  }

  static func link(
    _ index: Int32, _ name: String, isUp: Bool = true, isRunning: Bool = true, driver: String? = "veth",
    hardware: UInt16 = 1, family: UInt8 = 0
  ) -> [UInt8] {
    var header = ifinfomsg()
    header.ifi_family = family
    header.ifi_index = index
    header.ifi_type = hardware
    header.ifi_flags = (isUp ? 1 : 0) | (isRunning ? 0x40 : 0)
    let kind = driver.map { attribute(IFLA_LINKINFO, attribute(IFLA_INFO_KIND, Array($0.utf8) + [0])) }
    return bytes(of: header) + attribute(IFLA_IFNAME, Array(name.utf8) + [0]) + (kind ?? [])
  }

  static func address(
    _ interface: UInt32, _ address: IPAddress, scope: UInt8 = 0, flags: UInt32 = 0
  ) -> [UInt8] {
    var header = ifaddrmsg()
    header.ifa_family = UInt8(address.family == .ipv4 ? AF_INET : AF_INET6)
    header.ifa_prefixlen = 24
    header.ifa_index = interface
    header.ifa_scope = scope
    return bytes(of: header) + attribute(IFA_ADDRESS, address.bytes) + attribute(IFA_FLAGS, bytes(of: flags))
  }

  static func route(
    _ family: IPAddress.Family = .ipv4, interface: UInt32, metric: UInt32 = 0, length: UInt8 = 0, table: UInt32 = 254,
    type: Int = RTN_UNICAST, flags: UInt32 = 0
  ) -> [UInt8] {
    var header = rtmsg()
    header.rtm_family = UInt8(family == .ipv4 ? AF_INET : AF_INET6)
    header.rtm_dst_len = length
    header.rtm_table = UInt8(truncatingIfNeeded: table)
    header.rtm_type = UInt8(type)
    header.rtm_flags = flags
    return bytes(of: header) + attribute(Int(RTA_OIF.rawValue), bytes(of: interface))
      + attribute(Int(RTA_PRIORITY.rawValue), bytes(of: metric)) + attribute(Int(RTA_TABLE.rawValue), bytes(of: table))
  }

  static func number(_ value: Int32) -> [UInt8] { bytes(of: value) }

  static func attribute(_ type: Int, _ content: [UInt8]) -> [UInt8] {
    let header = rtattr(rta_len: UInt16(MemoryLayout<rtattr>.size + content.count), rta_type: UInt16(type))
    return padded(bytes(of: header) + content)
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  private static func bytes<Value: BitwiseCopyable>(of value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }
}
