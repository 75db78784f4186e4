import HTTPTypes
import LupineCore
import LupineSupport

// Caches on several machines that share a store.
extension CacheExchange {
  /// The time between the first two looks at a response that another machine fetches; it doubles each time.
  private static let firstDelay = Duration.milliseconds(50)
  private static let longestDelay = Duration.milliseconds(500)

  /// Sends the request once no other machine fetches the same response, or answers with what another one has stored.
  ///
  /// It waits for half of the time that other requests wait for this one, and then sends the request in any case. If the
  /// store cannot give a lease, it sends the request at once.
  func performWithLease(
    _ decision: CacheDecision, _ rules: ReuseRules?
  ) async throws(LupineError) -> TransportResponse {
    guard let leases = storage.leases else { return try await perform(decision, rules) }
    let clock = SessionClock(context.clock, executor: context.executor)
    let end = clock.now() + storage.waitLimit / 2
    var (exchange, decision, rules, delay) = (self, decision, rules, Self.firstDelay)
    while true {
      switch await acquire(from: leases, until: end, on: clock) {
      case .success(let lease?): return try await exchange.perform(lease, of: leases)
      case .success(nil): break
      case .failure(let error):
        if let reason = context.control.reason { throw reason }
        context.emitCache("sends the request without a lease: \(error.message)")
        return try await exchange.perform(decision, rules)
      }
      let now = clock.now()
      guard now < end else {
        context.emitCache("sends the request, because the response did not arrive in time from another request")
        return try await exchange.perform(decision, rules)
      }
      context.emitCache("waits for the response that another machine fetches")
      try await context.pause(until: min(now + delay, end), on: clock)
      delay = min(delay * 2, Self.longestDelay)
      exchange = exchange.renewed()
      (decision, rules) = try await exchange.decide()
      if case .use = decision { return try await exchange.perform(decision, rules) }
    }
  }

  /// Takes the lease; a cancellation of the exchange ends the waiting, and does not lose a lease that was taken.
  private func acquire(
    from leases: CacheLeases, until end: Duration, on clock: SessionClock
  ) async -> Result<CacheLeases.Held?, LupineError> {
    let name = responseName.text
    let task = Task.immediate(executorPreference: context.executor) {
      do throws(LupineError) {
        return Result<CacheLeases.Held?, LupineError>.success(
          try await leases.acquire(name, until: end, on: clock))
      } catch {
        return .failure(error)
      }
    }
    context.onCancel { task.cancel() }
    return await task.value
  }

  /// Sends the request and releases the lease, once the response is stored or is known not to be.
  private func perform(
    _ lease: CacheLeases.Held, of leases: CacheLeases
  ) async throws(LupineError) -> TransportResponse {
    defer {
      let isStarted = context.startBackgroundTask(isAwaited: true) { [leader] _ in
        await leader?.isOver.wait()
        await leases.release(lease)
      }
      if !isStarted { leases.forget(lease) }
    }
    if let reason = context.control.reason { throw reason }
    // Another machine may have stored the response before this one got the lease.
    let (decision, rules) = try await decide()
    return try await perform(decision, rules)
  }
}
