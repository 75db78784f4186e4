import LupineCore

/// Retries a request once, whatever its error.
struct OnceMore: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    attempt.error == nil || attempt.number > 1 ? .doNotRetry : .retry
  }
}
