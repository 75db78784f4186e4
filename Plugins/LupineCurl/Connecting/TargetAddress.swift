import LupineCore
import LupineEventLoop

/// Finds the addresses that a proxy receives if the client resolves the names.
enum TargetAddress {
  /// Whether addresses may have to be resolved or checked.
  static func isNeeded(in context: TransferContext) -> Bool {
    context.connectionKey.concernsAddresses
  }

  /// Returns the addresses of the URL's host that the network policy allows; none if the proxy or libcurl resolves the
  /// name.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound` or `addressRefused`, or the error that ends the wait for the
  ///   lookup.
  static func resolve(
    for request: OutgoingRequest, in context: TransferContext, with lookups: HostLookups
  ) async throws(LupineError) -> ResolvedTarget {
    let host = request.url.host
    guard let proxy = context.connectionKey.proxy, proxy.resolvesNamesHere else {
      guard let policy = context.connectionKey.networkPolicy, let literal = IPAddress(host: host),
        !policy.allows(literal)
      else {
        return ResolvedTarget()
      }
      throw NetworkPolicy.refusal(of: literal, for: request.url)
    }
    var target = try await target(host, context, lookups)
    guard let policy = context.connectionKey.networkPolicy else { return target }
    let refused = target.addresses.first
    target.addresses = target.addresses.filter(policy.allows)
    guard !target.addresses.isEmpty else { throw NetworkPolicy.refusal(of: refused, for: request.url) }
    return target
  }

  private static func target(
    _ host: String, _ context: TransferContext, _ lookups: HostLookups
  ) async throws(LupineError) -> ResolvedTarget {
    if let literal = IPAddress(host: host) { return ResolvedTarget(addresses: [literal]) }
    if let overriding = context.connectionKey.resolverOverrides.addresses(of: host) {
      return ResolvedTarget(addresses: overriding)
    }
    if let addresses = IPAddress.ofThisMachine(host) { return ResolvedTarget(addresses: addresses) }
    let (began, time) = (MonotonicClock.now, SessionClock(context.clock, executor: context.executor))
    do throws(LupineError) {
      let addresses = try await lookups.addresses(of: host, in: context, on: time)
      let lookup = ResolvedTarget.Lookup(
        began: began, ended: MonotonicClock.now, connectTimeout: context.connectTimeout.map { $0 - time.now() })
      if context.isObserved { context.emit(.nameResolved(host: host, after: lookup.time)) }
      return ResolvedTarget(addresses: addresses, lookup: lookup)
    } catch {
      var metrics = TransferMetrics()
      metrics.total = .nanoseconds(Int64(MonotonicClock.now - began))
      throw error.measured(metrics)
    }
  }
}
