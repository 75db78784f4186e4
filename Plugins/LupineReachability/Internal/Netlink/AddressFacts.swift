import CNetlink
import LupineCore

/// What the kernel says about one address of an interface.
struct AddressFacts: Equatable {
  /// What names an address; the rest may change.
  struct Key: Hashable {
    var interface: Int32
    var address: IPAddress
    var prefixLength: UInt8
  }

  var key: Key
  /// Whether it is good for the world beyond the link (a scope of 253 and more is not), and not being checked for a
  /// double (RFC 4862).
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
    // Over a point-to-point link `IFA_ADDRESS` is the other end's.
    guard let address = local ?? other, address.family.number == Int32(header.ifa_family) else { return nil }
    key = Key(interface: Int32(bitPattern: header.ifa_index), address: address, prefixLength: header.ifa_prefixlen)
    let unusable = UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED)
    isGlobal = flags & unusable == 0 && UInt32(header.ifa_scope) < UInt32(RT_SCOPE_LINK.rawValue)
  }
}

extension IPAddress.Family {
  /// The kernel's number.
  var number: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }

  init?(number: UInt8) {
    switch Int32(number) {
    case AF_INET: self = .ipv4
    case AF_INET6: self = .ipv6
    default: return nil
    }
  }
}
