/// What a retrier answers.
public enum RetryDecision: Sendable {
  /// Send again at once.
  case retry
  /// Send again after this long, on the session's clock.
  case retryAfter(Duration)
  /// Leave the failure as it is, unless a later retrier decides otherwise.
  case doNotRetry
  /// End the request with this error instead; the failure becomes its `underlying` error, unless it has one.
  case fail(LupineError)

  /// Send again after this long, on the session's clock.
  public static func retry(after delay: Duration) -> RetryDecision { .retryAfter(delay) }
}
