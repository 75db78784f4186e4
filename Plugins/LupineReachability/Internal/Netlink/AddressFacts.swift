import CNetlink
import LupineCore

/// One address of an interface, from a netlink message.
struct AddressFacts: Equatable {
  /// The identity of an address; the other values may change.
  struct Key: Hashable {
    var interface: Int32
    var address: IPAddress
    var prefixLength: UInt8
  }

  var key: Key
  /// Whether the address has a scope wider than the link, and has passed duplicate address detection (RFC 4862).
  var isGlobal: Bool
}

extension AddressFacts {
  init?(_ payload: UnsafeRawBufferPointer) {
    guard let header = payload.value(ifaddrmsg.self), let rest = payload.after(MemoryLayout<ifaddrmsg>.size) else {
      return nil
    }
    var flags = UInt32(header.ifa_flags)
    var local: IPAddress?
    var other: IPAddress?
    for attribute in NetlinkAttributes(rest) {
      switch attribute.type {
      case IFA_LOCAL: local = attribute.address
      case IFA_ADDRESS: other = attribute.address
      case IFA_FLAGS: flags = attribute.number ?? flags
      default: break
      }
    }
    // On a point-to-point link, `IFA_ADDRESS` is the peer's address.
    guard let address = local ?? other, address.family.number == Int32(header.ifa_family) else { return nil }
    key = Key(interface: Int32(bitPattern: header.ifa_index), address: address, prefixLength: header.ifa_prefixlen)
    let unusable = UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED)
    isGlobal = flags & unusable == 0 && UInt32(header.ifa_scope) < UInt32(RT_SCOPE_LINK.rawValue)
  }
}

extension IPAddress.Family {
  /// The address family's number (`AF_INET` or `AF_INET6`).
  var number: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }

  init?(number: UInt8) {
    switch Int32(number) {
    case AF_INET: self = .ipv4
    case AF_INET6: self = .ipv6
    default: return nil
    }
  }
}
