import LupineCore

/// An exchange on its way to the loop.
final class Submission: Sendable {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let id: UInt64
  let request: OutgoingRequest
  let context: TransferContext
  /// Parts of the two that are asked for again and again, and copied each time.
  let url: HTTPURL
  let options: OutgoingRequest.Options
  let identity: SecurityIdentity
  /// The addresses that the proxy is to connect to, one after the other, where names are resolved here.
  let targets: [IPAddress]
  let continuation: Continuation

  init(
    id: UInt64, request: OutgoingRequest, context: TransferContext, targets: [IPAddress], continuation: Continuation
  ) {
    self.id = id
    self.request = request
    self.context = context
    url = request.url
    options = request.options
    identity = context.identity
    self.targets = targets
    self.continuation = continuation
  }
}
