/// Stands around an attempt: sees the request on its way out and the response on its way in, once for each attempt, its
/// redirects and challenges included.
///
/// It calls `next` for each response it wants, one call after the other, or answers by itself, with
/// `ResponseBody.complete` or a body of the context's `makeBody`; such a body is not decoded. It does not retry: a `Retrier`
/// does.
///
/// What `next` returns has a head; its body may still come, and is not for every interceptor to see: of a data request
/// `body.end()` has the data, of a download they go to the file, and of a stream to its reader, who takes the first byte
/// once the response has been returned. So an interceptor that awaits the end of a body looks at `body.isStreamed` first.
///
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
