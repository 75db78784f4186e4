import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

// Requests for a response that another request is receiving.
extension CacheExchange {
  /// Names what other requests wait for.
  var flightName: Flight.Name {
    Flight.Name(url: key.exact, connection: request.connection, credential: request.credential)
  }

  /// Whether a request may take part in another one: a plain GET request without a fresh response.
  func mayFollow(_ decision: CacheDecision) -> Bool {
    switch decision {
    case .send(.uriMiss), .send(.stale), .validate(.stale), .complete: break
    case .use, .validate, .send, .refuse: return false
    }
    // A retry does not share a response, because it could be the one that is retried.
    return !request.isRetry && request.wantsWhole && request.policy == .byProtocol
      && request.directives == CacheDirectives()
  }

  /// Sends the request, whose response others wait for or read.
  func lead(
    _ flight: Flight, _ decision: CacheDecision, _ rules: ReuseRules?
  ) async throws(LupineError) -> TransportResponse {
    var leader = self
    leader.flight = flight
    defer { storage.decide(flight, flightName) }
    let response = try await leader.performWithLease(decision, rules)
    flight.answers()
    return response
  }

  /// Reads the response to another request while it arrives, or waits until it is stored.
  ///
  /// If the other request is cancelled or fails before, one of those that wait takes its place.
  func follow(_ first: Flight, _ decision: CacheDecision) async throws(LupineError) -> TransportResponse {
    let reason: CacheStatus.Forward =
      decision == .complete ? .partial : decision == .send(.uriMiss) ? .uriMiss : .stale
    let clock = SessionClock(context.clock, executor: context.executor)
    let end = clock.now() + storage.followLimit
    var flight = first
    while true {
      context.emitCache("waits for the response to another request")
      try await wait(until: end, on: clock) { [flight] in await flight.isDecided.wait() }
      if let response = try await share(flight, reason, until: end, on: clock) { return response }
      let (next, rules) = try await decide()
      if case .use(let isRevalidated) = next, let rules {
        return try await use(rules, isRevalidated: isRevalidated, collapsed: reason)
      }
      guard flight.isBroken, mayFollow(next), clock.now() < end else { return try await perform(next, rules) }
      switch storage.join(flightName, after: flight) {
      case .none: return try await perform(next, rules)
      case .leads(let flight): return try await lead(flight, next, rules)
      case .follows(let next): flight = next
      }
    }
  }

  /// Answers with the response that another request is receiving; `nil` if it does not answer this request, or if it
  /// must be stored first, which has happened then.
  private func share(
    _ flight: Flight, _ reason: CacheStatus.Forward, until end: Duration, on clock: SessionClock
  ) async throws(LupineError) -> TransportResponse? {
    guard let (writing, growing) = flight.writing, let candidate = candidate(in: growing) else { return nil }
    let rules = ReuseRules(request, candidate, now: context.now())
    var selection = Selection()
    selection.candidate = candidate
    guard case .use = ReuseRules.decision(for: request, selection, rules) else { return nil }
    if let reader = growing.makeReader() {
      try await wait(until: end, on: clock) { await reader.waitForBeginning() }
      if reader.canBegin { return try await read(reader, rules, reason, on: clock) }
    }
    try await wait(until: end, on: clock) { await writing.isOver.wait() }
    return nil
  }

  /// The response that another request is receiving, if this one selects it; `nil` as well if the resource was changed
  /// between the two requests.
  private func candidate(in growing: GrowingEntry) -> Candidate? {
    guard growing.mark == invalidationMark else { return nil }
    var selection = Selection()
    selection.add([growing.candidate.response], for: request, storage.hash, isShared: storage.isShared)
    return selection.candidate.flatMap { $0.isOfAnotherUser ? nil : $0 }
  }

  /// Waits until a time at the latest.
  ///
  /// - Throws: the reason for a cancellation.
  private func wait(
    until end: Duration, on clock: SessionClock, for event: @escaping @Sendable () async -> Void
  ) async throws(LupineError) {
    let wait = Task.immediate(executorPreference: context.executor) { await event() }
    context.onCancel { wait.cancel() }
    let timer = clock.schedule(max(.zero, end - clock.now())) { wait.cancel() }
    await wait.value
    timer.cancel()
    if let reason = context.control.reason { throw reason }
    context.touch()
  }

  private func read(
    _ reader: GrowingReader, _ rules: ReuseRules, _ reason: CacheStatus.Forward, on clock: SessionClock
  ) async throws(LupineError) -> TransportResponse {
    let (candidate, freshness, total) = (rules.candidate, rules.freshness, reader.entry.length)
    let status = CacheStatus(forward: reason, timeToLive: freshness.timeToLive, isCollapsed: true)
    context.emitCache("answers with the response that another request receives: \(status)")
    let content = GrowingContent(reader: reader, limit: storage.followLimit, clock: clock) { position in
      position == 0 || candidate.strongValidator != nil
    } requestRest: { (position) throws(LupineError) in
      try await requestRest(ResponseRest(candidate: candidate, position: position, total: total))
    }
    var response = try await context.makeResponse(
      candidate.entry.head(age: freshness.age), content: .stream(length: total) { content },
      trailersAtEnd: { reader.trailers })
    response.attributes[CacheStatus.self] = status
    return response
  }

  /// Requests the rest of a response that another request no longer receives, or receives too slowly.
  private func requestRest(_ rest: ResponseRest) async throws(LupineError) -> RemainingBytes {
    guard rest.position == 0 || rest.isProven else { throw Self.broken("it has no strong validator") }
    context.emitCache("requests the rest of the response, from byte \(rest.position) on")
    let branch = context.control.branch()
    let request = outgoing(rest.fields)
    let result = await withTaskCancellationHandler {
      do throws(LupineError) {
        return Result<TransportResponse, LupineError>.success(
          try await next(request, in: context.branch(branch)))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      branch.cancel(LupineError(.cancelled, "The rest of the response is not needed any more."))
    }
    let response: TransportResponse
    do throws(LupineError) { response = try result.get() } catch {
      branch.finish()
      throw error
    }
    response.body.onEnd { _ in branch.finish() }
    guard let continuation = rest.continuation(in: response) else {
      discard(response)
      throw Self.broken("the server has changed the response meanwhile")
    }
    guard !continuation.isOver else {
      discard(response)
      return RemainingBytes(.complete(Data()), branch, count: 0)
    }
    response.body.open(.stream(window: 256 << 10))
    return RemainingBytes(response.body, branch, count: continuation.length, after: continuation.skipped)
  }

  private static func broken(_ reason: String) -> LupineError {
    LupineError(
      .connectionLost,
      "Another request received the response for this one as well and ended before all of it had arrived, and the rest "
        + "cannot be requested: \(reason). Send the request again.")
  }
}
