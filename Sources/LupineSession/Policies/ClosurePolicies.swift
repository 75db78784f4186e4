public import LupineCore

/// An adapter that calls a closure; `adapter { request, session in … }` of a builder or a request makes it.
public struct ClosureAdapter: RequestAdapter {
  /// Changes the request that is about to be sent.
  public typealias Adapt = @Sendable (_ request: inout OutgoingRequest, _ session: Session) async throws -> Void

  private let adapt: Adapt

  /// Creates an adapter from a closure.
  public init(_ adapt: @escaping Adapt) { self.adapt = adapt }

  /// Returns the request as the closure has changed it.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    try await adapt(&request, session)
    return request
  }
}

/// A retrier that calls a closure; `retrier { attempt in … }` of a builder or a request makes it.
public struct ClosureRetrier: Retrier {
  /// Decides about a failed attempt.
  public typealias Decide = @Sendable (_ attempt: AttemptOutcome) async -> RetryDecision

  private let decide: Decide

  /// Creates a retrier from a closure.
  public init(_ decide: @escaping Decide) { self.decide = decide }

  /// Returns the decision of the closure.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision { await decide(attempt) }
}

/// An interceptor that calls a closure; `interceptor { request, context, next in … }` of a builder or a request makes it.
public struct ClosureInterceptor: Interceptor {
  /// Passes the request on and the response back.
  public typealias Intercept =
    @Sendable (
      _ request: OutgoingRequest, _ context: TransferContext,
      _ next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse

  private let intercept: Intercept

  /// Creates an interceptor from a closure.
  public init(_ intercept: @escaping Intercept) { self.intercept = intercept }

  /// Returns the response of the closure.
  public func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    try await intercept(request, context, next)
  }
}

extension Session.Builder {
  /// Adds an adapter that changes each request with a closure, on every attempt.
  ///
  /// ```swift
  /// let builder = Session.Builder().adapter { request, _ in request.headers["X-Trace"] = "42" }
  /// ```
  ///
  /// An error of the closure ends the request with kind `adaptationFailed`. An adapter that sends a secret is a
  /// `RequestAdapter` with a `credentialScope`.
  public func adapter(_ adapt: @escaping ClosureAdapter.Adapt) -> Self { adapter(ClosureAdapter(adapt)) }

  /// Adds a retrier that decides about failed attempts with a closure.
  public func retrier(_ decide: @escaping ClosureRetrier.Decide) -> Self { retrier(ClosureRetrier(decide)) }

  /// Adds an interceptor that wraps each attempt in a closure.
  ///
  /// An error of the closure ends the attempt, with kind `interceptionFailed` if it is no `LupineError`.
  public func interceptor(_ intercept: @escaping ClosureInterceptor.Intercept) -> Self {
    interceptor(ClosureInterceptor(intercept))
  }
}
