import HTTPTypes
import LupineCore
import LupineEventLoop

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
  let connectionKey: ConnectionKey
  /// The addresses that the proxy connects to, if the client resolves the names.
  let target: ProxyTarget
  /// The reader of a body in memory; `nil` if the request has none.
  let reader: (any BodyReader)?
  let continuation: Continuation

  init(
    _ ticket: Ticket, request: OutgoingRequest, context: TransferContext, target: ProxyTarget,
    reader: (any BodyReader)?, continuation: Continuation
  ) {
    self.ticket = ticket
    self.request = request
    self.context = context
    url = request.url
    method = request.method
    version = request.version ?? .http1_1
    connectionKey = context.connectionKey
    self.target = target
    self.reader = reader
    self.continuation = continuation
  }

  /// Ends an exchange that the loop does not begin.
  func refuse(_ error: LupineError) {
    reader?.cancel()
    continuation.resume(returning: .failure(error))
  }

  var settings: ExchangeSettings { _read { yield context.settings } }

  var isSecured: Bool { url.scheme == .https }

  /// The remaining connect timeout; `nil` for no limit.
  var connectTimeout: Duration? {
    if let lookup = target.lookup { lookup.connectTimeout } else { context.connectTimeout }
  }
}

/// Identifies an exchange, and sends commands for it to the loop from other threads.
final class Ticket: Sendable {
  let id: UInt64
  private let engine: LoopThread<Command>

  init(_ engine: LoopThread<Command>) {
    id = engine.makeID()
    self.engine = engine
  }

  /// Ends the exchange.
  func cancel() { engine.post(.cancel(id)) }

  /// Passes on the reader of the request's body, or why there is none.
  func finishOpening(_ body: Result<any BodyReader, LupineError>) { engine.post(.finishOpening(id, body)) }

  /// Passes on the result of the lookup of the host's name.
  func finishLookup(_ outcome: HostLookups.Outcome) { engine.post(.finishLookup(id, outcome)) }

  /// Continues to receive, because the sink of the response has room again.
  func resumeReceiving() { engine.post(.resumeReceiving(id)) }

  /// Continues to send, because the reader of the request's body has bytes again.
  func resumeSending() { engine.post(.resumeSending(id)) }
}

/// A command from another thread to the loop, which executes commands in order.
enum Command: LoopCommand {
  case start(Submission)
  /// Ends an exchange; no effect if the exchange has ended.
  case cancel(UInt64)
  /// Continues to receive, because the sink of a response has room again.
  case resumeReceiving(UInt64)
  /// Continues to send, because the reader of a request's body has bytes again.
  case resumeSending(UInt64)
  /// Passes on the reader of a request's body, or why there is none.
  case finishOpening(UInt64, Result<any BodyReader, LupineError>)
  /// Passes on the result of a name lookup, or its timeout.
  case finishLookup(UInt64, HostLookups.Outcome)
  /// Counts the connections.
  case countConnections(UnsafeContinuation<ConnectionPoolSnapshot, Never>)
  /// Ends all exchanges and the loop.
  case stop
  /// Ends the loop after the last exchange.
  case stopWhenIdle

  func refuse(_ error: LupineError) {
    switch self {
    case .start(let submission): submission.refuse(error)
    case .countConnections(let continuation): continuation.resume(returning: ConnectionPoolSnapshot())
    default: break
    }
  }
}
