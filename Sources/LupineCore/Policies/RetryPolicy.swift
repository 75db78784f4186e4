import HTTPTypes

/// Retries what is safe to repeat and likely to succeed, later each time.
///
/// The defaults are Alamofire's: two retries after 0.5 × 2ⁿ seconds, for idempotent methods, on statuses that say "later"
/// and on errors of the network.
public struct RetryPolicy: Retrier {
  /// The statuses that are retried, validated or not.
  public static let defaultStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

  private let limit: Int
  private let base: Double
  private let scale: Double
  private let cap: Duration
  private let statusCodes: Set<Int>

  /// Sets the policy.
  ///
  /// - Parameters:
  ///   - limit: retries after the first attempt. Default: 2.
  ///   - base: what is raised to the number of the retry. Default: 2.
  ///   - scale: seconds that the power is multiplied by. Default: 0.5.
  ///   - cap: the longest delay. Default: 60 seconds.
  ///   - statusCodes: the statuses that are retried.
  public init(
    limit: Int = 2, base: Double = 2, scale: Double = 0.5, cap: Duration = .seconds(60),
    statusCodes: Set<Int> = RetryPolicy.defaultStatusCodes
  ) {
    self.limit = limit
    self.base = base
    self.scale = scale
    self.cap = cap
    self.statusCodes = statusCodes
  }

  /// Retries after a delay, where the request may be repeated and retries are left.
  public func decision(for attempt: FailedAttempt) async -> RetryDecision {
    guard attempt.number <= limit, attempt.request.isIdempotent, isTransient(attempt) else { return .doNotRetry }
    return .retry(after: ceiling(of: attempt.number) * (0.5 + attempt.random() / 2))
  }

  /// The longest delay after so many attempts; the cap where the power leaves what a number can say.
  private func ceiling(of number: Int) -> Duration {
    let longest = cap / .seconds(1)
    var seconds = scale
    for _ in 1..<max(1, number) where seconds < longest { seconds *= base }
    guard seconds < longest else { return cap }
    return .seconds(max(0, seconds))
  }

  private func isTransient(_ attempt: FailedAttempt) -> Bool {
    if let response = attempt.response, statusCodes.contains(response.status.code) { return true }
    switch attempt.error?.kind {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .connectionLost,
      .timedOut(.connect),
      .timedOut(.idle):
      return true
    default: return false
    }
  }
}

extension Retrier where Self == RetryPolicy {
  /// Retries idempotent requests up to `limit` times, waiting twice as long each time.
  public static func backoff(limit: Int = 2) -> RetryPolicy { RetryPolicy(limit: limit) }
}
