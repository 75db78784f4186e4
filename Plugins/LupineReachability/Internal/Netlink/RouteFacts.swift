import CNetlink
import LupineCore

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
