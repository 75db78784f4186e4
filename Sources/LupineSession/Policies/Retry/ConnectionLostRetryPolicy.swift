public import HTTPTypes
public import LupineCore

/// Retries only idempotent requests whose connection was lost.
///
/// Use it in programs that leave other retries to their users.
public struct ConnectionLostRetryPolicy: Retrier {
  private let policy: RetryPolicy

  /// Creates the policy; see `RetryPolicy` for the parameters.
  public init(
    limit: Int = 2, base: Double = 2, scale: Double = 0.5,
    methods: Set<HTTPRequest.Method> = RetryPolicy.defaultMethods, budget: RetryBudget? = nil
  ) {
    policy = RetryPolicy(
      limit: limit, base: base, scale: scale, methods: methods, statusCodes: [], errors: [.connectionLost],
      budget: budget)
  }

  /// Retries after a delay if the connection was lost and the request is safe to repeat.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision { await policy.decision(for: attempt) }

  /// Adds credit to the policy's own budget, if it has one; the session does so for its budget.
  public func didSucceed(_ request: OutgoingRequest) { policy.didSucceed(request) }
}

extension Retrier where Self == ConnectionLostRetryPolicy {
  /// Retries idempotent requests whose connection was lost, up to `limit` times.
  public static func connectionLost(limit: Int = 2) -> ConnectionLostRetryPolicy {
    ConnectionLostRetryPolicy(limit: limit)
  }
}
