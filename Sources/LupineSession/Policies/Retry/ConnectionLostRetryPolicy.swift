public import HTTPTypes
public import LupineCore

/// Retries idempotent requests whose connection was lost, and nothing else.
///
/// The narrow policy for programs that leave everything else to their user.
public struct ConnectionLostRetryPolicy: Retrier {
  private let policy: RetryPolicy

  /// Sets the policy; see `RetryPolicy` for what the figures mean.
  public init(
    limit: Int = 2, base: Double = 2, scale: Double = 0.5,
    methods: Set<HTTPRequest.Method> = RetryPolicy.defaultMethods, budget: RetryBudget? = nil
  ) {
    policy = RetryPolicy(
      limit: limit, base: base, scale: scale, methods: methods, statusCodes: [], errors: [.connectionLost],
      budget: budget)
  }

  /// Retries after a delay, where the connection was lost and the request may be repeated.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision { await policy.decision(for: attempt) }

  /// Puts a part of a retry back into the policy's own budget; the session does so with its own.
  public func didSucceed(_ request: OutgoingRequest) { policy.didSucceed(request) }
}

extension Retrier where Self == ConnectionLostRetryPolicy {
  /// Retries idempotent requests whose connection was lost, up to `limit` times.
  public static func connectionLost(limit: Int = 2) -> ConnectionLostRetryPolicy {
    ConnectionLostRetryPolicy(limit: limit)
  }
}
