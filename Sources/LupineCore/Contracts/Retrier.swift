public import HTTPTypes

/// Decides whether a failed request is sent again; the session acts on the decision.
///
/// The first retrier whose answer is not `doNotRetry` decides. A request whose body cannot be sent again is not retried,
/// whatever the answer.
public protocol Retrier: Sendable {
  /// Answers for one failed attempt.
  func decision(for attempt: FailedAttempt) async -> RetryDecision
}

/// What a retrier answers.
public enum RetryDecision: Sendable {
  /// Send again at once.
  case retry
  /// Send again after this long, on the session's clock.
  case retryAfter(Duration)
  /// Leave the failure as it is, unless a later retrier decides otherwise.
  case doNotRetry
  /// End the request with this error instead.
  case fail(LupineError)

  /// Send again after this long, on the session's clock.
  public static func retry(after delay: Duration) -> RetryDecision { .retryAfter(delay) }
}

/// An attempt that failed: no response, or one that was refused.
public struct FailedAttempt: Sendable {
  /// The request as it was sent.
  public var request: OutgoingRequest
  /// Which attempt this was, from 1.
  public var number: Int
  /// The head of the response, where one arrived.
  public var response: HTTPResponse?
  /// Why the attempt failed; `nil` where the response passed validation, as with no validation at all.
  public var error: LupineError?
  /// The session's source of randomness, for jitter: a number from 0 up to 1.
  public var random: @Sendable () -> Double
  /// How long ago the request began.
  public var elapsed: Duration
  /// The session's clock, for a retrier that waits.
  public var clock: any Clock<Duration>

  /// Describes an attempt.
  public init(
    request: OutgoingRequest, number: Int, response: HTTPResponse?, error: LupineError?, elapsed: Duration = .zero,
    clock: any Clock<Duration> = ContinuousClock(), random: @escaping @Sendable () -> Double = { 0.5 }
  ) {
    self.request = request
    self.number = number
    self.response = response
    self.error = error
    self.elapsed = elapsed
    self.clock = clock
    self.random = random
  }
}
