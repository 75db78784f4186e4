import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming

/// The state of one exchange, used on the loop's thread.
///
/// It passes through the phases in their order, and ends from any of them.
final class Exchange {
  enum Phase {
    /// Waits until the limits on connections admit it.
    case waiting
    /// Waits for the request's body to be opened.
    case opening
    /// Waits for a connection.
    case connecting
    /// Has a connection.
    case active
    case ended
  }

  /// The result for the caller of `send`.
  private enum Outcome {
    case response(HTTPResponse, code: Int, ResponseBody, TransportResponse.Source)
    case failure(LupineError)
  }

  let id: UInt64
  let submission: Submission
  let host: Admission.Host
  let route: Route
  let loop: Loop
  var phase = Phase.waiting
  /// The connection that carries the exchange, which others may share.
  var connection: Connection?
  /// Moves the messages; `nil` before the exchange has a connection and after its end.
  var carrier: (any Carrier)?
  var isReused = false
  /// Whether the connection must not be kept, although its response allows it.
  var mustClose = false
  /// The state that only the making of a connection needs.
  var setup = ConnectionSetup()
  var times = ExchangeTimes()
  var incoming = Incoming()
  /// Without dynamic checks of exclusive access, because each request has a dozen.
  ///
  /// Only the loop's thread uses it, and the reader of the body, which it calls, cannot reach the exchange.
  @exclusivity(unchecked) var outgoing: Outgoing
  /// Sends the body if the server sends no 100.
  var continueTimer: ScheduledTimer?
  private var outcome: Outcome?
  private var willSettle = false

  init(_ submission: Submission, _ host: Admission.Host, _ route: Route, _ loop: Loop) {
    id = submission.ticket.id
    self.submission = submission
    self.host = host
    self.route = route
    self.loop = loop
    outgoing = Outgoing(reader: submission.reader)
  }

  var request: OutgoingRequest { submission.request }
  var context: TransferContext { submission.context }

  /// Starts the exchange, which the limits on connections have admitted.
  func start() {
    guard phase == .waiting else { return }
    times.admitted = MonotonicClock.now
    if request.hasBody, outgoing.reader == nil { openBody() } else { connect() }
  }

  /// Opens the request's body in a task.
  private func openBody() {
    phase = .opening
    // A proxy may refuse the tunnel.
    submission.openBody(mayStayUnread: expectsContinue || route.isTunnelled)
  }

  /// Continues with the open body.
  func finishOpening(_ body: Result<any BodyReader, LupineError>) {
    guard phase == .opening else { return }
    switch body {
    case .success(let reader):
      outgoing.reader = reader
      connect()
    case .failure(let error): fail(error)
    }
  }

  /// Sends the request on a connection of its own, with HTTP/1.1.
  func use(_ connection: Connection, isReused: Bool) {
    use(HTTP1Carrier(self, on: connection), on: connection, isReused: isReused)
  }

  /// Sends the request on a stream of a connection with HTTP/2.
  func use(_ shared: HTTP2Connection) {
    let isReused = shared.hasBeenUsed
    use(HTTP2Carrier(self, on: shared), on: shared.connection, isReused: isReused)
  }

  private func use(_ carrier: any Carrier, on connection: Connection, isReused: Bool) {
    phase = .active
    self.connection = connection
    self.carrier = carrier
    self.isReused = isReused
    times.connectionTaken = MonotonicClock.now
    context.emit(.connected(address: connection.address, isReused: isReused))
    if !isReused, let tls = connection.tls { context.emit(.secured(tls)) }
    carrier.begin()
  }

  /// Stores the response for the caller, who receives it at the end of the turn.
  func setResponse(
    _ head: HTTPResponse, code: Int, _ body: ResponseBody, from source: TransportResponse.Source
  ) {
    outcome = .response(head, code: code, body, source)
    scheduleSettle()
  }

  /// Stores the error for the caller, who receives it at the end of the turn.
  func setFailure(_ error: LupineError) {
    outcome = .failure(error)
    scheduleSettle()
  }

  /// Makes the loop call `settle` at the end of the turn.
  func scheduleSettle() {
    if willSettle { return }
    willSettle = true
    loop.scheduleSettle(self)
  }

  /// Notifies the caller and the consumer at the end of a turn.
  func settle() {
    willSettle = false
    switch outcome.take() {
    case .response(let head, let code, let body, let source):
      submission.finish(.success(TransportResponse(head: head, statusCode: code, body: body, source: source)))
    case .failure(let error): submission.finish(.failure(error))
    case nil: break
    }
    guard incoming.hasUndeliveredBytes else { return }
    incoming.hasUndeliveredBytes = false
    incoming.writer?.deliver()
  }
}
