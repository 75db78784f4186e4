import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming

/// One exchange, from its arrival on the loop until its end: the one owner of its state below the transport.
///
/// Only the loop's thread uses it. Other threads reach it by commands that carry its number: cancellation, room in the sink,
/// bytes of the request's body, a found address, a timeout. It passes through the phases in their order, and ends from any of
/// them.
///
/// - In the phase `connecting`, `setup` gets a connection and reports `use` or `fail`.
/// - In the phase `active`, `carrier` moves the messages, and reports here what has been sent and received. It reads the
///   request's content from `outgoing`, and checks `incoming.isPaused` before it passes content.
/// - `submission` resumes the caller of `send`, and `incoming.writer` writes the body; `settle` calls the former at the end of
///   the turn.
///
/// There are three ends: `finish` after the complete response, `fail` with an error, and `cancel`, which fails it with the
/// reason of its control. Each comes to `close`, once.
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
  /// Gets a connection; `nil` if the pool had one, and outside of the phase `connecting`.
  var setup: ConnectionSetup?
  var times: ExchangeTimes
  /// Without dynamic checks of exclusive access, like `outgoing`, because each request has a dozen.
  ///
  /// Only the loop's thread uses them. The body's writer and the reader of the request's body, which they call, cannot
  /// reach the exchange.
  @exclusivity(unchecked) var incoming = Incoming()
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
    times = ExchangeTimes(entered: loop.now)
    outgoing = Outgoing(reader: submission.reader)
  }

  var request: OutgoingRequest { submission.request }
  var context: TransferContext { submission.context }

  /// Starts the exchange, which the limits on connections have admitted.
  func start() {
    guard phase == .waiting else { return }
    times.admitted = loop.now
    if request.hasBody, outgoing.reader == nil { openBody() } else { connect() }
  }

  /// Stores the response for the caller, who receives it at the end of the turn.
  func setResponse(
    _ head: HTTPResponse, code: Int, _ body: ResponseBody, from source: TransportResponse.Source
  ) {
    outcome = .response(head, code: code, body, source)
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
    if incoming.pendingHead != nil { beginBody() }
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

/// The ends.
extension Exchange {
  /// Ends the exchange with the reason of its control.
  func cancel() {
    fail(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Ends the exchange after its complete response.
  ///
  /// The connection is available to the next exchange before the consumer hears of the end. If the request is not
  /// completely sent, the rest stays unsent (RFC 9112 section 9.3, RFC 9113 section 8.1): the server may have stopped
  /// reading the request.
  func finish(_ end: ResponseEnd) {
    guard phase != .ended else { return }
    let metrics = metrics
    close(end)
    if finishWithHead(end, metrics) { return }
    incoming.writer.take()?.finish(trailers: end.trailers, metrics: metrics)
  }

  /// Ends the exchange with an error, in any phase.
  func fail(_ error: LupineError) {
    guard phase != .ended else { return }
    if incoming.pendingHead != nil { beginBody() }
    guard phase != .ended else { return }
    let metrics = metrics
    recordLoss(error)
    // A request of which no byte was sent has not been processed.
    let isUnsent = phase == .active && error.kind == .connectionLost && !outgoing.hasBegun
    let error = (isUnsent ? error.unprocessed() : error).measured(metrics)
    close(nil, hasTimedOut: error.isTimeout)
    if let writer = incoming.writer.take() {
      writer.fail(error, metrics: metrics)
    } else {
      outcome = .failure(error)
      scheduleSettle()
    }
  }

  /// Closes the connections of the route that are probably lost too, if a reused one was lost before the response.
  private func recordLoss(_ error: LupineError) {
    guard phase == .active, isReused, error.kind == .connectionLost, times.firstByte == nil, let connection,
      carrier?.isConnectionLost == true
    else { return }
    loop.connections.recordLoss(of: connection, usedSince: times.connectionTaken)
  }

  /// Releases everything that belongs to the exchange.
  private func close(_ end: ResponseEnd?, hasTimedOut: Bool = false) {
    phase = .ended
    setup.take()?.close()
    continueTimer?.cancel()
    continueTimer = nil
    outgoing.abandon()
    carrier.take()?.close(end, hasTimedOut: hasTimedOut)
    connection = nil
    loop.remove(self)
  }

  private var metrics: TransferMetrics {
    TransferMetrics(
      total: times.since(loop.now), queued: times.queued, nameLookup: times.lookedUp.map(times.since),
      connect: times.connected.map(times.since), secureConnect: times.secured.map(times.since),
      requestSent: times.requestSent.map(times.since), firstByte: times.firstByte.map(times.since),
      bytesSent: outgoing.byteCount, bytesReceived: incoming.byteCount, remoteAddress: connection?.address,
      version: incoming.version, isConnectionReused: isReused, tls: connection?.tls)
  }
}

extension LupineError {
  /// Whether a timeout ended the exchange.
  fileprivate var isTimeout: Bool { if case .timedOut = kind { true } else { false } }
}
