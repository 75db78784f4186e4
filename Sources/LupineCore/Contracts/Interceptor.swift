/// Stands around an attempt: sees the request on its way out and the response on its way in, once for each attempt, its
/// redirects and challenges included.
///
/// It calls `next` for each response it wants, one call after the other, or answers by itself. It does not retry: a
/// `Retrier` does.
/// Cancellation reaches it as task cancellation.
public protocol Interceptor: Sendable {
  /// Passes the request on and the response back, changed or not.
  ///
  /// A package without the upcoming feature `NonisolatedNonsendingByDefault` writes the type of `next` as it stands here.
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse
}
