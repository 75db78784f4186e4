import CLibcurl
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The life of one exchange below the transport, used on the loop's thread.
///
/// It lives from the moment when the loop accepts its submission to `finish` or `fail`. libcurl's callbacks call it
/// while it has an easy handle. Its values know the rest: `Upload` the request's body, `Incoming` and `FinalHead` the
/// response, `UsedConnection` the connection, `ConnectionSetup` the way to one, `ConnectionAuthentication` the challenges
/// that libcurl answers, `RequestStream` whether the server has processed the request, `FailedTransfer` the error,
/// `ExchangeClock` the times.
final class Exchange: HandshakeOwner {
  let id: UInt64
  let submission: Submission
  let host: HostQueue
  let multi: Multi
  /// The sockets that libcurl has opened for the exchange and may have closed without a callback.
  var attempts: [WatchedSocket] = []
  var connection = UsedConnection()
  var clock: ExchangeClock
  var incoming = Incoming()
  var upload: Upload
  /// The request's stream over HTTP/2.
  var stream = RequestStream()
  /// The error that ends the exchange, if the transport and not libcurl detected the failure.
  var failure: LupineError?
  var easy: Easy?
  private(set) var setup: ConnectionSetup?
  /// The challenges that libcurl may answer; nil before the first one.
  var authentication: ConnectionAuthentication?
  /// The end that the exchange has found before libcurl reports it; it ends at the end of the turn.
  var earlyEnd: EarlyEnd?
  private var outcome: Submission.Outcome?
  private var hasOutcome = false
  private var willSettle = false
  var hasEnded = false

  enum EarlyEnd { case response, lostConnection }

  init(_ submission: Submission, _ host: HostQueue, _ multi: Multi, at now: UInt64) {
    id = submission.ticket.id
    self.submission = submission
    upload = Upload(submission.reader)
    self.host = host
    self.multi = multi
    clock = ExchangeClock(after: submission.target.lookup, at: now)
  }

  // `_read` accessors avoid a retain for each access.
  var request: OutgoingRequest { _read { yield submission.request } }
  var context: TransferContext { _read { yield submission.context } }
  var url: HTTPURL { _read { yield submission.url } }
  var route: Route { _read { yield multi.route } }
  var loop: Loop { _read { yield multi.loop } }

  /// The ports of the exchange's connection; nil before the request is sent.
  var ports: SocketPorts? { connection.ports }

  /// Whether libcurl processes the exchange.
  var isUnderWay: Bool { easy != nil }

  /// Whether the exchange uses a proxy's tunnel to the server.
  var isTunnelled: Bool { route.isTunnelled(url.scheme) }

  /// Returns the state of the exchange's new connection, and creates it on the first call.
  func connectionSetup() -> ConnectionSetup {
    if let setup { return setup }
    let made = ConnectionSetup()
    setup = made
    return made
  }

  /// Whether the proxy has not opened the tunnel.
  var awaitsTunnel: Bool { ports == nil && setup?.tunnel != nil }

  /// Records the first error that the transport detects; the transfer then ends with it.
  func record(failure error: LupineError) { if failure == nil { failure = error } }

  /// Records the error of a step as the failure, and returns false then.
  func record(failureOf step: () throws(LupineError) -> Bool) -> Bool {
    do throws(LupineError) { return try step() } catch {
      record(failure: error)
      return false
    }
  }

  func handshakeFailed(_ error: LupineError) { failure = error }

  /// Starts the exchange, which the limits on connections have admitted.
  ///
  /// A body that is not open is opened first, in a task. A proxy may refuse the tunnel, so a body that can be read only
  /// once stays unopened until libcurl reads it.
  func start(at now: UInt64) {
    if request.hasBody, upload.reader == nil { return submission.openBody(mayStayUnread: isTunnelled) }
    do throws(LupineError) { try passToLibcurl(at: now) } catch { fail(error) }
  }

  /// Continues with the open body.
  func finishOpening(_ body: Result<any BodyReader, LupineError>) {
    switch body {
    case .success(let reader):
      upload.reader = reader
      start(at: MonotonicClock.now)
    case .failure(let error): fail(error)
    }
  }

  private func passToLibcurl(at now: UInt64) throws(LupineError) {
    var begun = now
    if !multi.isReadyForTLS, submission.isSecured || route.hasSecuredProxy {
      try multi.checkCertificates(now: context.now())
      begun = MonotonicClock.now
    }
    let shape = try upload.begin(submission.method, submission.version)
    let easy = try multi.makeEasy()
    try easy.prepare(submission, shape)
    if isTunnelled { connectionSetup().tunnel = TunnelReader(context.limits, loop.headCache) }
    clock.start(turn: now, at: begun)
    try multi.add(easy)
    easy.attach(to: self)
    self.easy = easy
  }
}

/// The end of a turn of the loop.
extension Exchange {
  /// Stores the result for the caller of `send`, who receives it at the end of the turn.
  func setOutcome(_ outcome: Submission.Outcome) {
    guard !hasOutcome else { return }
    hasOutcome = true
    self.outcome = outcome
    scheduleSettle()
  }

  /// Ends the exchange at the end of the turn.
  func scheduleEnd(_ end: EarlyEnd) {
    earlyEnd = end
    scheduleSettle()
  }

  /// Makes the loop call `settle` at the end of the turn.
  func scheduleSettle() {
    if willSettle { return }
    willSettle = true
    loop.scheduleSettle(self)
  }

  /// Completes the exchange's work at the end of a turn of the loop.
  func settle() {
    willSettle = false
    switch earlyEnd.take() {
    // The rest of the request's body is not sent, so the connection cannot be reused.
    case .response?: finishResponse(isReusable: false)
    case .lostConnection?: transferEnded(CURLE_GOT_NOTHING)
    case nil: break
    }
    if let outcome = outcome.take() { submission.finish(outcome) }
    incoming.deliver()
  }
}
