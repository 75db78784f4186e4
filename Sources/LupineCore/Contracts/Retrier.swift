/// Decides whether a failed request is sent again; the session acts on the decision.
///
/// The first retrier whose answer is not `doNotRetry` decides. A request whose body cannot be sent again is not retried,
/// whatever the answer.
public protocol Retrier: Sendable {
  /// Answers for one failed attempt.
  func decision(for attempt: AttemptOutcome) async -> RetryDecision

  /// Hears of a request that ended well, for a retrier that keeps an account; must be quick.
  ///
  /// Default: does nothing.
  func didSucceed(_ request: OutgoingRequest)
}

extension Retrier {
  /// Does nothing.
  public func didSucceed(_ request: OutgoingRequest) {}
}
