import HTTPTypes
import LupineCore

/// An exchange that is passed to the loop.
final class Submission: Sendable {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let ticket: Ticket
  let request: OutgoingRequest
  let context: TransferContext
  /// Copies of frequently used values of the request and the context.
  let url: HTTPURL
  let method: HTTPRequest.Method
  /// The required version, or else HTTP/1.1: libcurl does not expose the end of an HTTP/2 body (see `ResponseEnd`).
  let version: ProtocolVersion
  let identity: ConnectionKey
  /// The addresses that the proxy connects to, if the client resolves the names.
  let target: Target
  let continuation: Continuation

  init(
    _ ticket: Ticket, request: OutgoingRequest, context: TransferContext, target: Target, continuation: Continuation
  ) {
    self.ticket = ticket
    self.request = request
    self.context = context
    url = request.url
    method = request.method
    version = request.version ?? .http1_1
    identity = context.identity
    self.target = target
    self.continuation = continuation
  }

  var settings: ExchangeSettings { _read { yield context.settings } }

  var isSecured: Bool { url.scheme == .https }

  /// The remaining connect timeout; `nil` for no limit.
  var connectTimeout: Duration? {
    if let lookup = target.lookup { lookup.connectTimeout } else { context.connectTimeout }
  }
}
