/// Stands around the exchange: sees the request on its way out and the response on its way in, once for each attempt.
///
/// It calls `next` at most once for each response it wants, or answers by itself. It does not retry: a `Retrier` does.
/// Cancellation reaches it as task cancellation.
public protocol Interceptor: Sendable {
  /// Passes the request on and the response back, changed or not.
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse
}
