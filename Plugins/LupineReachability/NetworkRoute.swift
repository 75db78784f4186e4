public import LupineCore

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
