import CNetlink
import LupineCore

/// A parsed netlink message of a supported type.
enum KernelMessage: Equatable {
  case link(LinkFacts)
  case linkRemoved(Int32)
  case address(AddressFacts)
  case addressRemoved(AddressFacts)
  case route(RouteFacts)
  case routeRemoved(RouteFacts)
  /// The end of a dump, with 0 or an error number.
  case done(Int32)
  /// An error number, or 0 for an acknowledgement.
  case answer(Int32)

  /// Parses a message; `nil` if it is truncated or of another type.
  init?(_ message: NetlinkMessages.Message) {
    let payload = message.payload
    switch Int(message.type) {
    case Int(NLMSG_DONE): self = .done(0 &- (payload.value(Int32.self) ?? 0))
    case Int(NLMSG_ERROR):
      guard let code = payload.value(Int32.self) else { return nil }
      self = .answer(0 &- code)
    case RTM_NEWLINK:
      guard let link = LinkFacts(payload) else { return nil }
      self = .link(link)
    case RTM_DELLINK:
      guard let header = payload.value(ifinfomsg.self), header.ifi_family == UInt8(AF_UNSPEC) else { return nil }
      self = .linkRemoved(header.ifi_index)
    case RTM_NEWADDR, RTM_DELADDR:
      guard let address = AddressFacts(payload) else { return nil }
      self = Int(message.type) == RTM_NEWADDR ? .address(address) : .addressRemoved(address)
    case RTM_NEWROUTE, RTM_DELROUTE:
      guard let route = RouteFacts(payload) else { return nil }
      self = Int(message.type) == RTM_NEWROUTE ? .route(route) : .routeRemoved(route)
    default: return nil
    }
  }
}

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

/// One route, from a netlink message: a table's entry, or the result of a lookup.
struct RouteFacts: Equatable {
  /// One next hop of a route.
  struct Hop: Equatable {
    var interface: Int32?
    var gateway: IPAddress?
    /// Whether the kernel considers the hop dead, or its link has no carrier.
    var isDead = false
  }

  var family: IPAddress.Family
  var prefixLength: UInt8
  var table: UInt32
  var metric: UInt32 = 0
  /// Whether the route delivers packets; other types, such as `unreachable`, do not.
  var isForwarding: Bool
  var hops: [Hop]
  /// Whether the route is the result of a lookup or a cached entry, and not an entry of a table.
  var isCloned = false

  var isDefault: Bool { prefixLength == 0 && !isCloned }
}

extension RouteFacts {
  init?(_ payload: UnsafeRawBufferPointer) {
    guard let header = payload.value(rtmsg.self), let rest = payload.after(MemoryLayout<rtmsg>.size),
      let family = IPAddress.Family(number: header.rtm_family)
    else { return nil }
    self.init(family: family, header: header)
    var hop = Hop(isDead: Self.isDead(header.rtm_flags))
    var paths: [Hop] = []
    for attribute in NetlinkAttributes(rest) {
      switch attribute.type {
      case Int(RTA_TABLE.rawValue): table = attribute.number ?? table
      case Int(RTA_PRIORITY.rawValue): metric = attribute.number ?? metric
      case Int(RTA_MULTIPATH.rawValue): paths = Self.hops(attribute.payload)
      default: hop.read(attribute)
      }
    }
    hops = paths.isEmpty ? [hop] : paths
  }

  private init(family: IPAddress.Family, header: rtmsg) {
    self.family = family
    prefixLength = header.rtm_dst_len
    table = UInt32(header.rtm_table)
    let kinds = [RTN_UNICAST, RTN_LOCAL].map { UInt8($0) }
    isCloned = header.rtm_flags & UInt32(RTM_F_CLONED) != 0
    isForwarding = kinds.contains(header.rtm_type)
    hops = []
  }

  /// Parses an array of `rtnexthop`, each followed by its attributes.
  private static func hops(_ payload: UnsafeRawBufferPointer) -> [Hop] {
    var hops: [Hop] = []
    var rest = payload
    while let header = rest.value(rtnexthop.self) {
      let length = Int(header.rtnh_len)
      guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
      var hop = Hop(interface: header.rtnh_ifindex, isDead: isDead(UInt32(header.rtnh_flags)))
      for attribute in NetlinkAttributes(
        UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<rtnexthop>.size..<length]))
      { hop.read(attribute) }
      hops.append(hop)
      rest = rest.dropping(length)
    }
    return hops
  }

  private static func isDead(_ flags: UInt32) -> Bool { flags & UInt32(RTNH_F_DEAD | RTNH_F_LINKDOWN) != 0 }
}

extension RouteFacts.Hop {
  fileprivate mutating func read(_ attribute: NetlinkAttributes.Attribute) {
    switch attribute.type {
    case Int(RTA_OIF.rawValue): interface = attribute.number.map(Int32.init(bitPattern:))
    case Int(RTA_GATEWAY.rawValue): gateway = attribute.address
    case Int(RTA_VIA.rawValue): gateway = attribute.payload.after(2).flatMap { IPAddress(bytes: Array($0)) }
    default: break
    }
  }
}
