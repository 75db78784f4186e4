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
  ) async throws(LupineError) -> ProxyTarget {
    let host = request.url.host
    guard let proxy = context.connectionKey.proxy, proxy.resolvesNamesHere else {
      guard let policy = context.connectionKey.networkPolicy, let literal = IPAddress(host), !policy.allows(literal)
      else {
        return ProxyTarget()
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
  ) async throws(LupineError) -> ProxyTarget {
    if let literal = IPAddress(host) { return ProxyTarget(addresses: [literal]) }
    if let overriding = context.connectionKey.resolverOverrides.addresses(of: host) {
      return ProxyTarget(addresses: overriding)
    }
    let (began, time) = (MonotonicClock.now, SessionClock(context.clock, executor: context.executor))
    do throws(LupineError) {
      let addresses = try await lookups.addresses(of: host, in: context, on: time)
      let lookup = LookupTimes(
        began: began, ended: MonotonicClock.now, connectTimeout: context.connectTimeout.map { $0 - time.now() })
      if context.isObserved { context.emit(.nameResolved(host: host, after: lookup.time)) }
      return ProxyTarget(addresses: addresses, lookup: lookup)
    } catch {
      var metrics = TransferMetrics()
      metrics.total = .nanoseconds(Int64(MonotonicClock.now - began))
      throw error.measured(metrics)
    }
  }
}

/// The addresses that a proxy connects to, determined before the exchange enters the loop.
struct ProxyTarget: Sendable {
  /// The addresses to try in order; empty if the proxy or libcurl resolves the name.
  var addresses: [IPAddress] = []
  /// The lookup of the name; `nil` if none was necessary.
  var lookup: LookupTimes?
}

/// The times of a name lookup that ran before the exchange entered the loop.
struct LookupTimes: Sendable {
  /// When the lookup, and with it the exchange, began.
  let began: UInt64
  let ended: UInt64
  /// The connect timeout that remains after the lookup; `nil` for no limit.
  let connectTimeout: Duration?

  var time: Duration { .nanoseconds(Int64(ended - began)) }
}
