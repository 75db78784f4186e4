/// Addresses that stand in the place of what the resolver says of a name.
public struct ResolverOverrides: Sendable, Hashable {
  private var addresses: [String: [IPAddress]] = [:]

  package init() {}

  /// Whether every name is resolved as usual.
  public var isEmpty: Bool { addresses.isEmpty }

  /// The addresses of a name, in the order in which they are tried; `nil` where it is resolved as usual.
  ///
  /// A dot at the name's end makes no difference: it says to a resolver that the name is whole.
  public func addresses(of host: String) -> [IPAddress]? { addresses.isEmpty ? nil : addresses[Self.key(host)] }

  package mutating func set(_ host: String, _ addresses: [IPAddress]) { self.addresses[Self.key(host)] = addresses }

  private static func key(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
