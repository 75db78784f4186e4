import LupineCore

/// Finds the addresses that a proxy receives if the client resolves the names.
enum TargetAddress {
  /// Whether addresses may have to be resolved or checked.
  static func isAsked(in context: TransferContext) -> Bool {
    context.identity.concernsAddresses
  }

  /// Returns the addresses of the URL's host that the network policy allows; none if the proxy or libcurl resolves the
  /// name.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound` or `addressRefused`, or the error that ends the wait for the
  ///   lookup.
  static func find(
    for request: OutgoingRequest, in context: TransferContext, by lookups: HostLookups
  ) async throws(LupineError) -> Target {
    let host = request.url.host
    guard let proxy = context.identity.proxy, proxy.resolvesNamesHere else {
      guard let policy = context.identity.networkPolicy, let literal = IPAddress(host), !policy.allows(literal) else {
        return Target()
      }
      throw NetworkPolicyRefusal.error(literal, request.url)
    }
    var target = try await target(host, context, lookups)
    guard let policy = context.identity.networkPolicy else { return target }
    let refused = target.addresses.first
    target.addresses = target.addresses.filter(policy.allows)
    guard !target.addresses.isEmpty else { throw NetworkPolicyRefusal.error(refused, request.url) }
    return target
  }

  private static func target(
    _ host: String, _ context: TransferContext, _ lookups: HostLookups
  ) async throws(LupineError) -> Target {
    if let literal = IPAddress(host) { return Target(addresses: [literal]) }
    if let named = context.identity.resolverOverrides.addresses(of: host) { return Target(addresses: named) }
    let (began, time) = (Moment.now, SessionClock(context.clock, executor: context.executor))
    do throws(LupineError) {
      let addresses = try await lookups.addresses(of: host, in: context, on: time)
      let lookup = NameLookup(
        began: began, ended: Moment.now, connectTimeout: context.connectTimeout.map { $0 - time.now() })
      if context.isObserved { context.emit(.nameResolved(host: host, after: lookup.time)) }
      return Target(addresses: addresses, lookup: lookup)
    } catch {
      var metrics = TransferMetrics()
      metrics.total = .nanoseconds(Int64(Moment.now - began))
      throw error.measured(metrics)
    }
  }
}

/// The addresses that a proxy connects to, as known before the exchange enters the loop.
struct Target: Sendable {
  /// The addresses to try in order; empty if the proxy or libcurl resolves the name.
  var addresses: [IPAddress] = []
  /// The lookup of the name; `nil` if none was necessary.
  var lookup: NameLookup?
}

/// The times of a name lookup that ran before the exchange entered the loop.
struct NameLookup: Sendable {
  /// When the lookup, and with it the exchange, began.
  let began: UInt64
  let ended: UInt64
  /// The connect timeout that remains after the lookup; `nil` for no limit.
  let connectTimeout: Duration?

  var time: Duration { .nanoseconds(Int64(ended - began)) }
}
