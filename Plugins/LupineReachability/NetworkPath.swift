public import LupineCore

/// What this machine's network looks like at one moment, and what that means.
///
/// The interfaces are those that are set up; the routes are the default routes that can be used.
public struct NetworkPath: Sendable, Hashable {
  /// Whether there is a way out, or to the host that was asked for.
  public var status: ReachabilityStatus
  /// The interfaces that are up, in the order of their numbers.
  public var interfaces: [NetworkInterface]
  /// The default routes that can be used, the kernel's favourite of each family first.
  public var defaultRoutes: [NetworkRoute]
  /// The name servers that `/etc/resolv.conf` names, as they stood at the last change.
  public var dnsServers: [IPAddress]

  /// Describes a network.
  public init(
    status: ReachabilityStatus, interfaces: [NetworkInterface] = [], defaultRoutes: [NetworkRoute] = [],
    dnsServers: [IPAddress] = []
  ) {
    self.status = status
    self.interfaces = interfaces
    self.defaultRoutes = defaultRoutes
    self.dnsServers = dnsServers
  }

  /// Whether the way leads over a cellular modem, where bytes may cost money.
  public var isExpensive: Bool { status == .reachable(.cellular) }

  /// Whether IPv4 has a way out.
  public var supportsIPv4: Bool { defaultRoutes.contains { $0.family == .ipv4 } }

  /// Whether IPv6 has a way out.
  public var supportsIPv6: Bool { defaultRoutes.contains { $0.family == .ipv6 } }
}

extension NetworkPath {
  /// No network at all.
  public static let offline = NetworkPath(status: .notReachable)
  /// A wired network, for tests.
  public static let ethernet = sample("eth0", .ethernet, .ethernetOrWiFi)
  /// A wireless network, for tests.
  public static let wifi = sample("wlan0", .wifi, .ethernetOrWiFi)
  /// A cellular network, for tests.
  public static let cellular = sample("wwan0", .cellular, .cellular)

  /// A network of which nothing is known.
  public static func unknown(_ reason: ReachabilityStatus.UnknownReason) -> NetworkPath {
    NetworkPath(status: .unknown(reason))
  }

  /// One interface with an address and a route from the networks for documentation (RFC 5737).
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
