import Synchronization
import HTTPTypes
import LupineCore

/// Runs one request: makes attempts until one succeeds or no retrier wants another.
package struct Pipeline: Sendable {
  let task: RequestExecution
  var session: Session { task.session }

  package init(_ task: RequestExecution) { self.task = task }

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
        try await task.interruptible { () async throws(LupineError) in try await handler.begin(described) }
      } catch {
        return Outcome(request: request, error: error.about(request.summary))
      }
    }
    var number = 1 + (task.earlierAttempts ?? 0)
    while true {
      let result = await attempt(request, number)
      if isSettled(result) { return result.outcome }
      switch await retryStep(after: result, of: request, number) {
      case .end(let outcome): return outcome
      case .again(let delay): await wait(delay)
      }
      number += 1
    }
  }

  /// Waits before a retry; a cancellation ends the wait, and the next attempt detects it.
  package func wait(_ delay: Duration) async {
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
  package func keyed(_ request: OutgoingRequest) -> OutgoingRequest {
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
