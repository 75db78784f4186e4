import LupineCore
import LupineSession
import Synchronization

/// Counts the retries that a policy grants, and those that its budget refuses.
final class CountingRetrier: Retrier {
  private let policy: RetryPolicy
  private let counts = Mutex((granted: 0, refused: 0))

  init(_ policy: RetryPolicy) { self.policy = policy }

  var count: Int { counts.withLock { $0.granted } }
  var refusals: Int { counts.withLock { $0.refused } }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    var attempt = attempt
    attempt.note = { [self, note = attempt.note] text in
      if text.contains("budget") { counts.withLock { $0.refused += 1 } }
      note(text)
    }
    let decision = await policy.decision(for: attempt)
    if case .retryAfter = decision { counts.withLock { $0.granted += 1 } }
    return decision
  }

  func didSucceed(_ request: OutgoingRequest) { policy.didSucceed(request) }
}
