import LupineCore

/// The kernel's tables after their last update, and the resulting status.
struct NetworkState {
  private struct Link {
    var facts: LinkFacts
    var kind: NetworkInterface.Kind
  }

  private static let localTable: UInt32 = 255
  private var links: [Int32: Link] = [:]
  private var addresses: [AddressFacts.Key: AddressFacts] = [:]
  private var routes: [RouteFacts] = []

  /// Clears a table before the first part of a dump.
  mutating func clear(_ table: KernelTable) {
    switch table {
    case .links: links = [:]
    case .addresses: addresses = [:]
    case .routes: routes = []
    }
  }

  /// Adds or updates an interface; returns whether anything changed.
  ///
  /// - Parameter classify: returns the kind of an interface whose kind is unknown or whose name has changed.
  mutating func set(_ link: LinkFacts, classify: (LinkFacts) -> NetworkInterface.Kind) -> Bool {
    let old = links[link.index]
    if let old, old.facts == link, !old.kind.isUnknown { return false }
    var kind = old?.kind ?? .unknown("")
    if old?.facts.name != link.name || kind.isUnknown {
      let found = classify(link)
      // A renamed interface keeps its kind if its new sysfs entry does not exist yet.
      if !found.isUnknown || kind.isUnknown { kind = found }
    }
    links[link.index] = Link(facts: link, kind: kind)
    return old?.facts != link || old?.kind != kind
  }

  mutating func removeLink(_ index: Int32) -> Bool {
    for key in addresses.keys where key.interface == index { addresses[key] = nil }
    return links.removeValue(forKey: index) != nil
  }

  mutating func set(_ address: AddressFacts) -> Bool {
    addresses.updateValue(address, forKey: address.key) != address
  }

  mutating func remove(_ address: AddressFacts) -> Bool { addresses.removeValue(forKey: address.key) != nil }

  /// Adds a route of a dump.
  ///
  /// Only default routes are stored: a router may have a million others.
  mutating func add(_ route: RouteFacts) {
    if route.isDefault, route.isForwarding, route.table != Self.localTable { routes.append(route) }
  }

  /// Whether a default route uses the interface.
  func hasDefaultRoute(_ interface: Int32) -> Bool {
    routes.contains { route in route.hops.contains { $0.interface == interface } }
  }

  /// Whether the interface can carry packets.
  func isRunning(_ interface: Int32) -> Bool { links[interface]?.facts.isRunning ?? false }
}

extension NetworkState {
  /// Returns the path that the tables describe.
  func path(dnsServers: [IPAddress]) -> NetworkPath {
    let routes = usableRoutes
    return NetworkPath(
      status: status(over: preferredRoutes(of: routes).map(\.interface)), interfaces: interfaces, defaultRoutes: routes,
      dnsServers: dnsServers)
  }

  /// Returns the status of routes over these interfaces: cellular only if all of them are.
  func status(over interfaces: [Int?]) -> ReachabilityStatus {
    guard !interfaces.isEmpty else { return .notReachable }
    var status = ReachabilityStatus.reachable(.cellular)
    for interface in interfaces {
      switch interface.flatMap({ links[Int32($0)] })?.kind {
      case .cellular: continue
      case .unknown(let reason): status = .unknown(.interfaceKindUnknown(reason))
      default: return .reachable(.ethernetOrWiFi)
      }
    }
    return status
  }

  /// Returns the best route of each family.
  private func preferredRoutes(of routes: [NetworkRoute]) -> [NetworkRoute] {
    IPAddress.Family.allCases.compactMap { family in routes.first { $0.family == family } }
  }

  private var interfaces: [NetworkInterface] {
    links.values.filter(\.facts.isUp).sorted { $0.facts.index < $1.facts.index }.map { link in
      let own = addresses.keys.filter { $0.interface == link.facts.index }
        .map { NetworkInterface.Address($0.address, prefixLength: Int($0.prefixLength)) }
      return NetworkInterface(
        index: Int(link.facts.index), name: link.facts.name, kind: link.kind, isUp: link.facts.isUp,
        isRunning: link.facts.isRunning,
        addresses: own.sorted { ($0.address.bytes.count, $0.description) < ($1.address.bytes.count, $1.description) })
    }
  }

  private var usableRoutes: [NetworkRoute] {
    let families = Set(addresses.values.filter { $0.isGlobal && isUp($0.key.interface) }.map(\.key.address.family))
    let routes = self.routes.filter { families.contains($0.family) }.flatMap { route in
      route.hops.filter(isUsable).map { hop in
        NetworkRoute(
          family: route.family, gateway: hop.gateway, interface: hop.interface.map(Int.init), metric: route.metric,
          table: route.table)
      }
    }
    return routes.sorted { $0.order < $1.order }
  }

  private func isUp(_ interface: Int32) -> Bool { links[interface]?.facts.isUp ?? false }

  /// Whether the hop is alive and its interface is running; a hop without an interface counts as running.
  private func isUsable(_ hop: RouteFacts.Hop) -> Bool {
    !hop.isDead && hop.interface.map(isRunning) ?? true
  }
}

extension NetworkInterface.Kind {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension NetworkRoute {
  /// The sort key: the main table first, then the lowest metric, then a stable order.
  fileprivate var order: (Int, UInt32, Int, String) {
    (table == 254 ? 0 : 1, metric, interface ?? 0, "\(family.rawValue) \(gateway?.description ?? "")")
  }
}
