import CLibcurl
import HTTPTypes
import LupineCore

/// One exchange, on the loop's thread: what it is made of, and how far it has got.
final class Exchange {
  let submission: Submission
  let host: HostLine
  /// Without a count of references, since the loop ends all its exchanges and outlives them.
  unowned(unsafe) let loop: Loop
  let multi: Multi
  /// The descriptor that libcurl last asked about for this exchange; -1 before.
  var socket: Int32 = -1
  /// The ports of its connection, once it has one.
  var ports: SocketPorts?
  var clock: ExchangeClock
  var incoming = Incoming()
  var outgoing = Outgoing()
  /// What ends the exchange, where it was not libcurl that found it out.
  var failure: LupineError?
  /// What judges the server of the connection that is made for it.
  var handshake: Handshake?
  private var tls: TLSDetails?
  private(set) var easy: Easy?
  private var address: String?
  private var answer: Submission.Outcome?
  /// The proxy's answer to CONNECT, while a tunnel is opened.
  var tunnel: TunnelReader?
  /// How many of the host's addresses the proxy could not reach.
  var unreachedTargets = 0
  /// The address that the network policy refused last.
  var refusedAddress: IPAddress?
  private var isAnswered = false
  /// Whether the loop knows that something is to be done with it.
  private var isTouched = false
  /// The exchange behind it in its chain of the loop's table.
  var nextInChain: Exchange?
  /// The exchange that was touched after it.
  private var nextTouched: Exchange?
  private var legs = ProofLegs()
  private var isOver = false

  init(_ submission: Submission, _ loop: Loop, _ host: HostLine, _ multi: Multi) {
    self.submission = submission
    self.loop = loop
    self.host = host
    self.multi = multi
    clock = ExchangeClock(after: submission.target.lookup)
  }

  var id: UInt64 { submission.id }
  var request: OutgoingRequest { submission.request }
  var context: TransferContext { submission.context }
  var url: HTTPURL { submission.url }
  var options: OutgoingRequest.Options { submission.options }
  var route: Route { multi.route }

  /// Whether the body waits for the server's word (RFC 9110 section 10.1.1).
  var expectsContinue: Bool {
    outgoing.reader != nil && (options.expectsContinue || request.headers.contains(.expect))
  }

  /// Whether libcurl has it in hand.
  var isUnderWay: Bool { easy != nil }

  /// Hands the exchange to libcurl.
  func start() throws(LupineError) {
    if !multi.isReadyForTLS, url.scheme == .https || route.proxy?.kind == .https {
      try multi.checkCertificates(now: context.now())
    }
    let shape = try openBody()
    let easy = try multi.makeEasy()
    try easy.prepare(submission, shape)
    let connections = connections
    easy.set(connections)
    try easy.set(target: submission.target.addresses.first, url)
    if isTunnelled { tunnel = TunnelReader(context.limits, loop.lines) }
    multi.keep(connections.idleLifetime)
    clock.start(at: Moment.now)
    try multi.add(easy)
    easy.exchange = self
    self.easy = easy
  }

  /// Decides, each time libcurl is about to send the request on a connection, whether it may.
  ///
  /// libcurl sends a request again of its own accord when a used connection dies before a byte of the answer, a POST
  /// too; that decision is the session's. So the request goes out once.
  func mayBegin(_ ports: SocketPorts, address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard let easy else { return false }
    // The next leg of a proof: libcurl has read the challenge, and answers it.
    if let held = incoming.held, isNextLeg(after: held.head) {
      incoming.held = nil
      easy.headReader.beginAgain()
      self.ports = nil
    }
    guard self.ports == nil else {
      if incoming.writer == nil { failure = failure ?? Self.lost } else { outgoing.isAbandoned = true }
      return false
    }
    let isReused = easy.number(CURLINFO_NUM_CONNECTS) == 0
    guard isTrusted(isReused: isReused) else { return false }
    guard mayUse(address), openLateBody() else { return false }
    self.ports = route.unixSocket == nil ? ports : SocketPorts(unixSocket: easy.descriptor)
    if url.scheme == .https { tls = loop.details(of: easy) }
    let remote = remote(address, ports)
    self.address = remote
    clock.isReused = isReused
    tell(easy, isReused)
    return true
  }

  private func isNextLeg(after challenge: HTTPResponse) -> Bool {
    do throws(LupineError) { try legs.next(for: challenge.status.code == 407) } catch {
      failure = error
      return false
    }
    return true
  }

  private func remote(_ address: UnsafeMutablePointer<CChar>?, _ ports: SocketPorts) -> String {
    if let path = route.unixSocket { return "unix:\(path)" }
    return easy?.text(of: address, port: ports.remote) ?? ""
  }

  /// Says how it came by its connection, and that a request without a body is out.
  private func tell(_ easy: Easy, _ isReused: Bool) {
    let hasNoBody = outgoing.reader == nil || outgoing.remaining == 0
    if hasNoBody { clock.sent(at: Moment.now) }
    guard context.isObserved else { return }
    if !isReused { tellLookup(easy) }
    context.emit(.connected(address: address ?? "", isReused: isReused))
    if !isReused, let tls { context.emit(.secured(tls)) }
    if hasNoBody { context.emit(.sent(bytes: 0)) }
  }

  private func tellLookup(_ easy: Easy) {
    let clock = clock
    guard let time = clock.nameLookup(easy) else { return }
    context.emit(.nameResolved(host: route.proxy?.host ?? url.host, after: time))
  }

  /// Whether the connection was judged where it had to be; one that is used again was judged when it was made.
  private func isTrusted(isReused: Bool) -> Bool {
    guard !isReused, url.scheme == .https, context.evaluator != nil, handshake?.isTrusted != true else { return true }
    failure = failure ?? LupineError(.certificateRejected, "The server's certificate was not judged.")
    return false
  }

  private static let lost = LupineError(
    .connectionLost,
    "The connection ended before the response began; whether the server has acted on the request is not known.")

  /// Keeps what the caller of `send` will hear at the end of the turn.
  func answer(_ outcome: Submission.Outcome) {
    guard answer == nil, !isAnswered else { return }
    answer = outcome
    touch()
  }

  /// Has the loop settle it at the end of the turn.
  func touch() {
    if isTouched { return }
    isTouched = true
    loop.touch(self)
  }

  /// Puts an exchange behind it among those that were touched.
  func isTouched(before next: Exchange) { nextTouched = next }

  /// Takes itself out of those that were touched, and returns the next.
  func leaveTouched() -> Exchange? {
    defer { nextTouched = nil }
    isTouched = false
    return nextTouched
  }

  /// Tells the caller of `send`, once.
  func handOver() {
    guard let outcome = answer.take() else { return }
    isAnswered = true
    submission.continuation.resume(returning: outcome)
  }
}

extension Exchange {
  /// Takes libcurl's word that the exchange is over.
  func complete(_ code: CURLcode) {
    if code == CURLE_OK { receiveHeld() }
    guard let easy, !triesNextTarget(after: code, easy) else { return }
    if isComplete(code), failure == nil, incoming.writer != nil {
      return finish(isReusable: code == CURLE_OK)
    }
    if failure == nil, ports == nil, let refusal = tunnel?.refusal { return finish(refused: refusal) }
    let error =
      failure ?? routeError(code, easy)
      ?? CurlError.error(
        code, text: easy.errorText, system: Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO)),
        hasConnection: ports != nil)
    end(error)
  }

  /// Whether the response is whole: libcurl says so, or it was kept from sending the request again.
  private func isComplete(_ code: CURLcode) -> Bool {
    code == CURLE_OK || (code == CURLE_ABORTED_BY_CALLBACK && outgoing.isAbandoned)
  }

  func cancel() {
    end(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Hands over what a proxy said in the place of a connection.
  private func finish(refused head: HTTPResponse) {
    let (body, writer) = context.makeBody(for: head, from: .proxy) {}
    incoming.writer = writer
    answer(.success(TransportResponse(head: head, body: body, source: .proxy)))
    finish(isReusable: false)
  }

  func finish(isReusable: Bool) {
    guard !isOver else { return }
    let (trailers, metrics) = (easy?.headReader.trailers, metrics())
    release(isReusable: isReusable)
    incoming.writer?.finish(trailers: trailers, metrics: metrics)
  }

  /// Ends the exchange before its time, wherever it stands.
  func end(_ error: LupineError) {
    guard !isOver else { return }
    let metrics = metrics()
    if let easy, ports == nil { tellLookup(easy) }
    release(isReusable: false)
    if let writer = incoming.writer {
      writer.fail(error, metrics: metrics)
    } else {
      answer(.failure(error.measured(metrics)))
    }
  }

  private func metrics() -> TransferMetrics {
    let clock = clock
    var metrics = clock.metrics(easy, taken: outgoing.taken)
    metrics.version = easy?.headReader.line?.version
    if let address { metrics.remoteAddress = address }
    if let tls { metrics.tls = tls }
    return metrics
  }

  private func release(isReusable: Bool) {
    isOver = true
    outgoing.reader?.cancel()
    if let easy { multi.remove(easy, isReusable: isReusable) }
    easy = nil
    multi.leave()
    if isReusable { loop.guardIdle(socket) }
    loop.isOver(self)
  }
}
