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
