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
  /// What the proxy is to connect to, where names are resolved here.
  let target: Target
  let continuation: Continuation

  init(
    id: UInt64, request: OutgoingRequest, context: TransferContext, target: Target, continuation: Continuation
  ) {
    self.id = id
    self.request = request
    self.context = context
    url = request.url
    options = request.options
    identity = context.identity
    self.target = target
    self.continuation = continuation
  }

  /// How long the connection may take from here on; `nil` sets no bound.
  var connectTimeout: Duration? {
    if let lookup = target.lookup { lookup.connectTimeout } else { context.connectTimeout }
  }
}
