import LupineCore

/// Retries whatever went wrong, once.
struct OnceMore: Retrier {
  func decision(for attempt: FailedAttempt) async -> RetryDecision {
    attempt.error == nil || attempt.number > 1 ? .doNotRetry : .retry
  }
}
