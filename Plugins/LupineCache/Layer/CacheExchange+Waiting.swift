import LupineCore
import LupineFoundation
import LupineSupport

// A request leads (it is sent, and others wait for its response), waits for a leader, or is sent alone.
extension CacheExchange {
  /// Identifies the response: requests with the same name wait for one leader.
  var responseName: Leader.Name {
    Leader.Name(url: key.exact, connection: request.connection, credential: request.credential)
  }

  /// Whether a request may wait for another one, or others for it: a plain GET request without a fresh response.
  func mayWait(_ decision: CacheDecision) -> Bool {
    switch decision {
    case .send(.uriMiss), .send(.stale), .validate(.stale), .complete: break
    case .use, .validate, .send, .sendAlone, .refuse: return false
    }
    // A retry does not wait: the leader's response could be the one that failed.
    return !request.isRetry && request.wantsWhole && request.policy == .byProtocol
      && request.directives == CacheDirectives()
  }

  /// Sends the request, whose response others wait for.
  func lead(
    _ leader: Leader, _ decision: CacheDecision, _ rules: ReuseRules?
  ) async throws(LupineError) -> TransportResponse {
    let exchange = CacheExchange(
      original, request, key, in: context, layer, next: next, since: invalidationMark, leader: leader)
    defer { storage.endHead(of: leader, responseName) }
    let response = try await exchange.performWithLease(decision, rules)
    leader.recordFirst(.stored)
    return response
  }

  /// Waits until the leader has stored its response, and answers with that.
  ///
  /// If the response does not answer this request or is not stored in time, sends the request. If the leader fails, this
  /// request or another waiter takes its place.
  func answer(after first: Leader, _ decision: CacheDecision) async throws(LupineError) -> TransportResponse {
    let reason: CacheStatus.Forward =
      decision == .complete ? .partial : decision == .send(.uriMiss) ? .uriMiss : .stale
    let clock = SessionClock(context.clock, executor: context.executor)
    let end = clock.now() + storage.waitLimit
    var (leader, exchange) = (first, self)
    while true {
      context.emitCache("waits for the response to another request")
      let isTimeUp = try await exchange.timesOut(waitingFor: leader, until: end, on: clock)
      // A later leader had less time, so its timeout says nothing about the response.
      if isTimeUp, leader === first { storage.record(isShareable: false, responseName) }
      // A request that is sent from here on is newer than the invalidations until now.
      exchange = exchange.renewed()
      let (decision, rules) = try await exchange.decide()
      if case .use(let isRevalidated) = decision, let rules {
        return try await use(rules, isRevalidated: isRevalidated, collapsed: reason)
      }
      guard case .failed = leader.outcome, mayWait(decision), clock.now() < end else {
        return try await exchange.perform(decision, rules)
      }
      switch storage.join(responseName) {
      case .none: return try await exchange.perform(decision, rules)
      case .leads(let leader): return try await exchange.lead(leader, decision, rules)
      case .waits(let other): leader = other
      }
    }
  }

  /// Waits for the end of a leader while its response may answer this request; returns whether the wait has timed out.
  private func timesOut(
    waitingFor leader: Leader, until end: Duration, on clock: SessionClock
  ) async throws(LupineError) -> Bool {
    guard try await awaitSignal(leader.hasHead, until: end, on: clock) else { return true }
    guard case .storing(let entry) = leader.outcome, isAnswered(by: entry) else { return false }
    return try await !awaitSignal(leader.isOver, until: end, on: clock)
  }

  /// Waits for a signal, until a time at the latest; returns whether it was set.
  ///
  /// - Throws: the reason for a cancellation.
  private func awaitSignal(
    _ signal: Signal, until end: Duration, on clock: SessionClock
  ) async throws(LupineError) -> Bool {
    let isSet = try await context.interruptible { await signal.wait(until: end, on: clock) }
    context.touch()
    return isSet
  }

  /// Whether a response that is being stored will answer this request; not if the resource was changed between the two
  /// requests.
  private func isAnswered(by entry: Leader.Entry) -> Bool {
    guard entry.mark == invalidationMark else { return false }
    var selection = Selection()
    selection.add([entry.candidate.response], for: request, storage.hash, isShared: storage.isShared)
    guard let candidate = selection.candidate else { return false }
    let rules = ReuseRules(request, candidate, now: context.now())
    guard case .use = ReuseRules.decision(for: request, selection, rules) else { return false }
    return true
  }
}

extension Signal {
  /// Waits until a time of the clock; returns whether the signal was set, and `false` at once if the task is cancelled.
  func wait(until end: Duration, on clock: SessionClock) async -> Bool {
    let waiter = Waiter<Bool>()
    let task = Task.immediate(executorPreference: ExecutorPreference.current) {
      await wait()
      waiter.resume(returning: true)
    }
    let timer = clock.schedule(at: end) { waiter.resume(returning: false) }
    let isSet = await waiter.value() ?? false
    timer.cancel()
    task.cancel()
    return isSet
  }
}
