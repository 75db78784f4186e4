import Synchronization
import HTTPTypes
import LupineCore

/// Runs one request: makes attempts until one succeeds or no retrier wants another.
struct Pipeline: Sendable {
  let task: RequestExecution
  var session: Session { task.session }

  init(_ task: RequestExecution) { self.task = task }

  /// Runs the request to its end.
  ///
  /// Inlined together with its steps, because each async call has a cost.
  @inline(__always)
  func run() async -> Outcome {
    var request: OutgoingRequest
    do throws(LupineError) {
      request = try task.description.get()
      try session.registry.insert(task)
    } catch {
      return Outcome(request: try? task.description.get(), error: error)
    }
    let hasNoOverrides = task.watchDeadlines()
    if !hasNoOverrides { request = task.withOwnOptions(request) }
    if session.keysRequests || !hasNoOverrides { request = keyed(request) }
    task.emit(.started(request.summary))
    if let handler = task.handler {
      let described = request
      do throws(LupineError) {
        request = try await task.interruptible { () async throws(LupineError) in try await handler.begin(described) }
      } catch {
        return Outcome(request: request, error: error.about(request.summary))
      }
    }
    var number = 1
    while true {
      let result = await attempt(request, number)
      let isSettled = isSettled(result)
      if isSettled, !task.handsOverAtHead { return result.outcome }
      switch await step(after: result, isSettled, of: request, number) {
      case .end(let outcome): return outcome
      case .again(let delay): await wait(delay)
      case .proceed(let next, let delay):
        request = next
        await wait(delay)
      }
      number += 1
    }
  }

  /// The step after an attempt.
  enum Step: Sendable {
    case end(Outcome)
    /// The attempt is retried.
    case again(after: Duration)
    /// The request goes on after a response that was handed over.
    case proceed(OutgoingRequest, after: Duration)
  }

  private func step(
    after result: AttemptResult, _ isSettled: Bool, of request: OutgoingRequest, _ number: Int
  ) async -> Step {
    var outcome = result.outcome
    var reason: String?
    if !isSettled {
      switch await retryStep(after: result, of: request, number) {
      case .again(let delay): return .again(after: delay)
      case .end(let ended, let why): (outcome, reason) = (ended, why)
      }
    }
    switch await continuation(after: outcome) {
    case .end(let error, let why):
      if let reason = why ?? reason { task.emit(.retrying(after: nil, reason: reason), attempt: number) }
      if let error { outcome.error = error.about(request.summary) }
      return .end(outcome)
    case .next(let next, let delay, let reason):
      task.emit(.retrying(after: delay, reason: reason), attempt: number)
      task.state.withLock { $0.proceed(after: number) }
      return .proceed(next, after: delay)
    }
  }

  /// Asks the handler whether the request goes on; only a stream does.
  private func continuation(after outcome: Outcome) async -> Continuation {
    guard task.handsOverAtHead, let handler = task.handler else { return .end() }
    let continuation = (try? await task.interruptible { await handler.proceed(after: outcome) }) ?? .end()
    guard let cancellation = task.state.withLock({ $0.cancellation }) else { return continuation }
    // The error that the handler states is more precise.
    if case .end(_?, _) = continuation { return continuation }
    return .end(outcome.error == nil ? cancellation : nil)
  }

  /// Waits before an attempt; a cancellation ends the wait, and the next attempt detects it.
  func wait(_ delay: Duration) async {
    guard delay > .zero else { return }
    let clock = session.clock
    if let left = task.timeLeft, left <= delay {
      // The next attempt would start too late, so the request ends at its deadline.
      try? await task.interruptible { try await clock.sleep(left) }
      _ = task.endIfOverdue(now: clock.now())
      return
    }
    try? await task.interruptible { try await clock.sleep(delay) }
  }
}

/// The result of one attempt.
struct AttemptResult: Sendable {
  /// The request as the attempt sent it first, before redirects.
  var request: OutgoingRequest
  var outcome: Outcome
  /// Whether the request ends without asking the retriers.
  var isFinal = false

  /// - Parameter last: the last exchange of the attempt.
  static func failed(
    _ error: LupineError, request: OutgoingRequest, after last: LastExchange = LastExchange(), isFinal: Bool
  ) -> AttemptResult {
    var outcome = Outcome(request: request, error: error.about(request.summary))
    outcome.complete(with: last)
    return AttemptResult(request: request, outcome: outcome, isFinal: isFinal)
  }
}

extension Pipeline {
  /// The request with its idempotency key, which is the same for all attempts.
  func keyed(_ request: OutgoingRequest) -> OutgoingRequest {
    let key = task.state.withLock { $0.settings.idempotencyKey }
    guard key != nil || session.configuration.keyedMethods.contains(request.method), !request.hasIdempotencyKey else {
      return request
    }
    var request = request
    if case .given(let text) = key {
      request.headers[.idempotencyKey] = text
    } else {
      request.headers[.idempotencyKey] = IdempotencyKey.make(session.configuration.random)
    }
    return request
  }
}
