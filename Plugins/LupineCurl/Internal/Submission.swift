import HTTPTypes
import LupineCore

/// An exchange on its way to the loop.
final class Submission: Sendable {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let ticket: Ticket
  let request: OutgoingRequest
  let context: TransferContext
  /// Parts of the two that are asked for again and again, and copied each time.
  let url: HTTPURL
  let method: HTTPRequest.Method
  /// HTTP/1.1 where the request names none: libcurl does not show where an HTTP/2 body ends; see `ResponseEnd`.
  let version: ProtocolVersion
  let identity: ConnectionKey
  /// What the proxy is to connect to, where names are resolved here.
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

  /// How long the connection may take from here on; `nil` sets no bound.
  var connectTimeout: Duration? {
    if let lookup = target.lookup { lookup.connectTimeout } else { context.connectTimeout }
  }
}
