public import LupineCore

/// A default route: where packets go for which no other route is known.
public struct NetworkRoute: Sendable, Hashable {
  /// The version of IP it carries.
  public var family: IPAddress.Family
  /// The next machine; `nil` where the link itself leads there, as a tunnel does.
  public var gateway: IPAddress?
  /// The number of the interface it leads out of; `nil` where the kernel does not say.
  public var interface: Int?
  /// The kernel prefers the route with the least.
  public var metric: UInt32
  /// The routing table it stands in; 254 is the main one.
  public var table: UInt32

  /// Describes a route.
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
