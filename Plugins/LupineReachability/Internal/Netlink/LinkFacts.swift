import CNetlink

/// One interface, from a netlink message.
struct LinkFacts: Equatable {
  var index: Int32
  var name: String
  var isUp = false
  var isRunning = false
  /// The hardware type, an `ARPHRD_…` number.
  var hardware: UInt16 = 1
  /// The driver of a virtual link, such as `veth` or `bridge`.
  var driver: String?

  /// `ARPHRD_LOOPBACK` of `<linux/if_arp.h>`.
  static let loopbackHardware: UInt16 = 772
}

extension LinkFacts {
  /// `IFF_UP` and `IFF_RUNNING` of `<linux/if.h>`, which cannot be included together with `<net/if.h>`.
  private static let upFlag: UInt32 = 0x1
  private static let runningFlag: UInt32 = 0x40

  init?(_ payload: UnsafeRawBufferPointer) {
    guard let header = payload.value(ifinfomsg.self), let rest = payload.after(MemoryLayout<ifinfomsg>.size),
      // Messages about the ports of a bridge have the same type and another family.
      header.ifi_family == UInt8(AF_UNSPEC)
    else { return nil }
    var name: String?
    for attribute in NetlinkAttributes(rest) {
      switch attribute.type {
      case IFLA_IFNAME: name = attribute.text
      case IFLA_LINKINFO:
        driver = attribute.nested.first { $0.type == IFLA_INFO_KIND }?.text
      default: break
      }
    }
    guard let name, !name.isEmpty else { return nil }
    self.name = name
    index = header.ifi_index
    hardware = header.ifi_type
    isUp = header.ifi_flags & Self.upFlag != 0
    isRunning = isUp && header.ifi_flags & Self.runningFlag != 0
  }
}
