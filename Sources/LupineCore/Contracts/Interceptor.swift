/// Wraps each attempt of a request: sees the request before it is sent and the response after it arrives.
///
/// A session calls an interceptor once for each attempt; redirects and challenges belong to the attempt. An interceptor
/// calls `next` once for each response that it wants, one call after the other. It may also answer without `next`, with
/// `ResponseBody.complete` or a body of the context's `makeBody`; such a body is not decoded. An interceptor does not
/// retry: a `Retrier` does.
///
/// The response of `next` has a head; its body may still arrive. For a data request `body.end()` returns the data. For
/// a download the bytes go to the file. For a stream they go to its reader, which takes the first byte after the
/// interceptors have returned the response. An interceptor that awaits the end of a body must therefore check
/// `body.isStreamed` first.
///
/// The cancellation of the request cancels the task of the interceptor.
public protocol Interceptor: Sendable {
  /// Passes the request on and the response back, changed or not.
  ///
  /// A package without the upcoming feature `NonisolatedNonsendingByDefault` must write the type of `next` as it is
  /// here.
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse
}
