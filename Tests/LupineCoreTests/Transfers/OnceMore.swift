import LupineCore

/// Retries whatever went wrong, once.
struct OnceMore: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    attempt.error == nil || attempt.number > 1 ? .doNotRetry : .retry
  }
}
