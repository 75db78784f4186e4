public import LupineCore

/// The state of this machine's network at one moment, and the resulting status.
public struct NetworkPath: Sendable, Hashable {
  /// Whether there is a default route, or a route to the requested host.
  public var status: ReachabilityStatus
  /// The interfaces that are up, by ascending index.
  public var interfaces: [NetworkInterface]
  /// The usable default routes, the preferred one of each family first.
  public var defaultRoutes: [NetworkRoute]
  /// The name servers of `/etc/resolv.conf` at the last change.
  public var dnsServers: [IPAddress]

  /// Creates a state of the network.
  public init(
    status: ReachabilityStatus, interfaces: [NetworkInterface] = [], defaultRoutes: [NetworkRoute] = [],
    dnsServers: [IPAddress] = []
  ) {
    self.status = status
    self.interfaces = interfaces
    self.defaultRoutes = defaultRoutes
    self.dnsServers = dnsServers
  }

  /// Whether the route uses a cellular modem, where traffic may cost money.
  public var isExpensive: Bool { status == .reachable(.cellular) }

  /// The conditions of this path, for policies that do not depend on this module.
  ///
  /// A route over an interface of unknown kind counts as available and not expensive.
  public var conditions: NetworkConditions {
    let availability: NetworkConditions.Availability =
      switch status {
      case .reachable, .unknown(.interfaceKindUnknown): .available
      case .notReachable: .unavailable
      case .unknown: .unknown
      }
    return NetworkConditions(availability, isExpensive: isExpensive)
  }

  /// Whether there is a default route for IPv4.
  public var supportsIPv4: Bool { defaultRoutes.contains { $0.family == .ipv4 } }

  /// Whether there is a default route for IPv6.
  public var supportsIPv6: Bool { defaultRoutes.contains { $0.family == .ipv6 } }
}

extension NetworkPath {
  /// No network.
  public static let offline = NetworkPath(status: .notReachable)
  /// A wired network, for tests.
  public static let ethernet = sample("eth0", .ethernet, .ethernetOrWiFi)
  /// A wireless network, for tests.
  public static let wifi = sample("wlan0", .wifi, .ethernetOrWiFi)
  /// A cellular network, for tests.
  public static let cellular = sample("wwan0", .cellular, .cellular)

  /// A network in an unknown state.
  public static func unknown(_ reason: ReachabilityStatus.UnknownReason) -> NetworkPath {
    NetworkPath(status: .unknown(reason))
  }

  /// One interface with an address and a route from the documentation address blocks (RFC 5737).
  private static func sample(
    _ name: String, _ kind: NetworkInterface.Kind, _ type: ReachabilityStatus.ConnectionType
  ) -> NetworkPath {
    let address = IPAddress("192.0.2.10").map { NetworkInterface.Address($0, prefixLength: 24) }
    return NetworkPath(
      status: .reachable(type),
      interfaces: [NetworkInterface(index: 2, name: name, kind: kind, addresses: address.map { [$0] } ?? [])],
      defaultRoutes: [NetworkRoute(family: .ipv4, gateway: IPAddress("192.0.2.1"), interface: 2)])
  }
}

/// A network interface of this machine.
public struct NetworkInterface: Sendable, Hashable {
  /// The kind of an interface's link.
  public enum Kind: Sendable, Hashable {
    /// A wired network card.
    case ethernet
    /// A wireless card (IEEE 802.11).
    case wifi
    /// A cellular modem (WWAN).
    case cellular
    /// A bridge of other interfaces.
    case bridge
    /// A link without hardware of its own, such as a tunnel or a container's end of a veth pair.
    case virtual
    /// The loopback interface.
    case loopback
    /// An unknown kind; the text states the reason.
    case unknown(String)
  }

  /// An address of an interface.
  public struct Address: Sendable, Hashable {
    /// The address.
    public var address: IPAddress
    /// The number of leading bits that identify the network.
    public var prefixLength: Int

    /// Creates an address with a prefix length.
    public init(_ address: IPAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = prefixLength
    }
  }

  /// The kernel's index of the interface, which does not change with the name.
  public var index: Int
  /// The name, such as `eth0`.
  public var name: String
  /// The kind of the link.
  public var kind: Kind
  /// Whether the administrator has enabled the interface.
  public var isUp: Bool
  /// Whether the interface can carry packets: it is up and has a carrier.
  public var isRunning: Bool
  /// The addresses, in a stable order.
  public var addresses: [Address]

  /// Creates an interface.
  public init(
    index: Int, name: String, kind: Kind, isUp: Bool = true, isRunning: Bool = true, addresses: [Address] = []
  ) {
    self.index = index
    self.name = name
    self.kind = kind
    self.isUp = isUp
    self.isRunning = isRunning
    self.addresses = addresses
  }
}

extension NetworkInterface.Address: CustomStringConvertible {
  /// The address and its prefix length, such as `192.0.2.1/24`.
  public var description: String { "\(address)/\(prefixLength)" }
}

/// A default route, which carries the packets that no other route matches.
public struct NetworkRoute: Sendable, Hashable {
  /// The IP version of the route.
  public var family: IPAddress.Family
  /// The next hop; `nil` if the link itself is the next hop, as in a tunnel.
  public var gateway: IPAddress?
  /// The index of the outgoing interface; `nil` if the kernel does not report it.
  public var interface: Int?
  /// The metric; the kernel prefers the route with the lowest.
  public var metric: UInt32
  /// The routing table that contains the route; 254 is the main one.
  public var table: UInt32

  /// Creates a route.
  public init(
    family: IPAddress.Family, gateway: IPAddress? = nil, interface: Int? = nil, metric: UInt32 = 0, table: UInt32 = 254
  ) {
    self.family = family
    self.gateway = gateway
    self.interface = interface
    self.metric = metric
    self.table = table
  }
}
