import CLibcurl
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The state of one exchange, used on the loop's thread.
final class Exchange: HandshakeOwner {
  let id: UInt64
  let submission: Submission
  let host: HostQueue
  let multi: Multi
  /// The descriptor that libcurl last reported for this exchange; -1 if there is none.
  var socket: Int32 = -1
  /// The number of the connection behind `socket`; 0 if the descriptor is not a connection.
  var connectionID: UInt64 = 0
  /// The sockets that libcurl has opened for the exchange and may have closed without a callback.
  var attempts: [WatchedSocket] = []
  /// When the exchange began to use its reused connection; nil for a new connection.
  private(set) var reusedAt: UInt64?
  /// The ports of the exchange's connection; nil before the request is sent.
  var ports: SocketPorts?
  var clock: ExchangeClock
  var incoming = Incoming()
  var outgoing: Outgoing
  /// The exchange's connection, if the connection may carry other exchanges at the same time.
  var connection: WatchedSocket?
  /// The error that ends the exchange, if the transport and not libcurl detected the failure.
  var failure: LupineError?
  private(set) var tls: TLSDetails?
  var easy: Easy?
  private var outcome: Outcome?
  private(set) var setup: ConnectionSetup?
  private var isOutcomeDelivered = false
  /// Whether the loop will call `settle` at the end of the turn.
  var willSettle = false
  var hasEnded = false

  /// The result for the caller of `send`.
  enum Outcome {
    case response(HTTPResponse, statusCode: Int, ResponseBody, TransportResponse.Source)
    case failure(LupineError)
  }

  init(_ submission: Submission, _ host: HostQueue, _ multi: Multi, at now: UInt64) {
    id = submission.ticket.id
    self.submission = submission
    outgoing = Outgoing(reader: submission.reader)
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

  /// Whether the body waits for a 100 response (RFC 9110 section 10.1.1).
  var expectsContinue: Bool {
    outgoing.reader != nil && (request.expectsContinue || request.headers.contains(.expect))
  }

  /// Whether libcurl processes the exchange.
  var isUnderWay: Bool { easy != nil }

  func handshakeFailed(_ error: LupineError) { failure = error }

  /// Returns the exchange's rarely needed state, and creates it on the first call.
  func connectionSetup() -> ConnectionSetup {
    if let setup { return setup }
    let made = ConnectionSetup()
    setup = made
    return made
  }

  /// Passes the exchange to libcurl.
  func start(at now: UInt64) throws(LupineError) {
    var begun = now
    if !multi.isReadyForTLS, submission.isSecured || route.hasSecuredProxy {
      try multi.checkCertificates(now: context.now())
      begun = MonotonicClock.now
    }
    let shape = try shape()
    let easy = try multi.makeEasy()
    try easy.prepare(submission, shape)
    if isTunnelled { connectionSetup().tunnel = TunnelReader(context.limits, loop.headCache) }
    clock.start(turn: now, at: begun)
    try multi.add(easy)
    easy.attach(to: self)
    self.easy = easy
  }

  /// Whether libcurl may send the request on its connection; called each time before libcurl sends the request.
  ///
  /// libcurl resends a request after REFUSED_STREAM. Some versions also resend a request, even a POST, if a reused
  /// connection ends before the response. The session makes this decision, so this function allows the request once.
  func maySendRequest(
    localPort: Int32, remotePort: Int32, address: UnsafeMutablePointer<CChar>?, _ easy: Easy
  ) -> Bool {
    loop.endRace(id)
    if attempts.count > 1 { loop.forgetAbandoned(by: self) }
    guard let peer = multi.replacedPeers[localPort] else {
      return maySend(localPort: localPort, remotePort: remotePort, address: address, easy)
    }
    return "\(peer)".withCString {
      maySend(localPort: localPort, remotePort: remotePort, address: UnsafeMutablePointer(mutating: $0), easy)
    }
  }

  private func maySend(
    localPort: Int32, remotePort: Int32, address: UnsafeMutablePointer<CChar>?, _ easy: Easy
  ) -> Bool {
    // The next round of NTLM or Negotiate: libcurl has read the challenge and answers it.
    if let setup, let challenge = setup.challenge, beginNextRound(after: challenge, setup, easy) {
      setup.challenge = nil
      easy.headReader.prepareForNextHead()
      ports = nil
    }
    guard ports == nil else {
      if incoming.writer == nil { failure = failure ?? resendError } else { outgoing.isAbandoned = true }
      return false
    }
    let isReused = easy.number(CURLINFO_NUM_CONNECTS) == 0
    guard isTrusted(isReused: isReused) else { return false }
    guard mayUseConnection(to: address) else { return false }
    easy.setRemoteAddress(address, port: remotePort)
    ports =
      route.unixSocket == nil
      ? SocketPorts(local: localPort, remote: remotePort, easy.remoteIP)
      : SocketPorts(unixSocket: unixDescriptor(easy, isReused: isReused))
    if submission.version == .http2 { connection = ports.flatMap { loop.connection($0, of: multi) } }
    if submission.isSecured { tls = loop.details(of: easy) }
    clock.isReused = isReused
    if isReused { reusedAt = MonotonicClock.now }
    emitConnectionEvents(easy, isReused)
    return true
  }

  private func beginNextRound(after challenge: ReceivedHead, _ setup: ConnectionSetup, _ easy: Easy) -> Bool {
    do throws(LupineError) {
      try finishChallengeContent(setup, easy)
      try setup.rounds.begin(isProxy: challenge.statusLine.code == 407)
    } catch {
      failure = error
      return false
    }
    return true
  }

  /// The remote address of the exchange's connection; nil if there is no connection yet.
  func remoteAddress(_ easy: Easy) -> String? {
    guard ports != nil else { return nil }
    if let path = route.unixSocket { return "unix:\(path)" }
    return easy.remoteAddress
  }

  /// Emits the events of the new connection, and `sent` for a request without a body.
  private func emitConnectionEvents(_ easy: Easy, _ isReused: Bool) {
    let hasNoBody = outgoing.reader == nil || outgoing.remaining == 0
    if hasNoBody { clock.recordSent(at: MonotonicClock.now) }
    guard context.isObserved else { return }
    if !isReused { emitNameResolved(easy) }
    context.emit(.connected(address: remoteAddress(easy) ?? "", isReused: isReused))
    if !isReused, let tls { context.emit(.secured(tls)) }
    if hasNoBody { context.emit(.sent(bytes: 0)) }
  }

  func emitNameResolved(_ easy: Easy) {
    let clock = clock
    guard let time = clock.nameLookup(easy.handle) else { return }
    context.emit(.nameResolved(host: route.proxy?.host ?? url.host, after: time))
  }

  /// Whether the connection's server has been verified; a reused connection was verified when it was made.
  private func isTrusted(isReused: Bool) -> Bool {
    guard !isReused, submission.isSecured, context.evaluator != nil, setup?.handshake?.isTrusted != true else {
      return true
    }
    failure = failure ?? LupineError(.certificateRejected, "The server's certificate was not verified.")
    return false
  }

  /// Stores the result for the caller of `send`, who receives it at the end of the turn.
  func setOutcome(_ outcome: consuming Outcome) {
    guard self.outcome == nil, !isOutcomeDelivered else { return }
    self.outcome = outcome
    scheduleSettle()
  }

  /// Makes the loop call `settle` at the end of the turn.
  func scheduleSettle() {
    if willSettle { return }
    willSettle = true
    loop.scheduleSettle(self)
  }

  /// Passes the stored result to the caller of `send`, once.
  func resumeCaller() {
    guard let outcome = outcome.take() else { return }
    isOutcomeDelivered = true
    switch consume outcome {
    case .response(let head, let code, let body, let source):
      submission.finish(.success(TransportResponse(head: head, statusCode: code, body: body, source: source)))
    case .failure(let error): submission.finish(.failure(error))
    }
  }
}

/// Resolves the host's name with `HostLookups` instead of libcurl.
///
/// libcurl resolves each name on its own thread, without a limit. So the resolver-start callback stops the transfer if
/// libcurl has no cached addresses. `HostLookups` resolves the name, and the transfer restarts with the addresses.
extension Exchange {
  /// The host and the port that libcurl connects to.
  var endpoint: (host: String, port: Int) {
    if let proxy = route.proxy { (proxy.host, proxy.port) } else { (url.host, url.effectivePort) }
  }

  /// Whether libcurl may resolve the host itself; false stops the transfer.
  func mayResolve(_ easy: Easy) -> Bool {
    let host = endpoint.host.lowercased()
    // libcurl also calls back for the local address, after the host's name. Local addresses and IP literals need no
    // thread.
    if easy.size(CURLINFO_NAMELOOKUP_TIME_T) > 0 || host.contains(":") || IPAddress(host) != nil { return true }
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    let setup = connectionSetup()
    if !setup.lookup.isFinished { setup.lookup = .needed }
    return false
  }

  /// Starts the lookup of the name at which libcurl stopped; false if the transfer ended for another reason.
  func startLookup(after code: CURLcode) -> Bool {
    guard let setup, setup.lookup.isNeeded, failure == nil, code != CURLE_OK else { return false }
    let lookups = loop.lookups
    do throws(LupineError) {
      if let addresses = Self.addressesOfThisMachine(endpoint.host) {
        guard try connect(to: addresses, setup) else { throw HostLookups.timeout }
        return true
      }
      let waiter = try lookups.addWaiter(for: endpoint.host) { [ticket = submission.ticket] in
        ticket.post(.lookedUp($0))
      }
      setup.lookup = .running(waiter)
      if waiter.isQueued { context.emit(.queued(reason: lookups.queueReason)) }
      startLookupTimer(setup)
      lookups.startThread()
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Returns the loopback addresses for `localhost.` and the names below it (RFC 6761 section 6.3); nil for others.
  ///
  /// libcurl knows these names only without the dot at the end.
  private static func addressesOfThisMachine(_ host: String) -> [IPAddress]? {
    let name = host.lowercased()
    guard name == "localhost." || name.hasSuffix(".localhost.") else { return nil }
    return ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
  }

  /// Restarts the transfer with the host's addresses; returns false if no time remains.
  private func connect(to addresses: [IPAddress], _ setup: ConnectionSetup) throws(LupineError) -> Bool {
    setup.lookup = .finished
    guard let easy else { return false }
    return try restart(easy) { (easy) throws(LupineError) in try easy.set(addresses, of: endpoint) }
  }

  private func startLookupTimer(_ setup: ConnectionSetup) {
    guard let timeout = submission.connectTimeout else { return }
    let clock = clock
    let time = SessionClock(context.clock, executor: context.executor)
    setup.lookupTimer = time.schedule(clock.remaining(of: timeout, at: MonotonicClock.now)) {
      [ticket = submission.ticket] in
      ticket.post(.connectTimedOut)
    }
  }

  /// Restarts the transfer with the addresses, or ends the exchange if the lookup failed.
  func finishLookup(_ outcome: HostLookups.Outcome) {
    guard let setup, case .running = setup.lookup else { return }
    cancelLookup()
    do throws(LupineError) {
      if try !connect(to: outcome.get(), setup) { throw HostLookups.timeout }
    } catch {
      fail(failure ?? proxyError(error))
    }
  }

  /// Reports a failed lookup of the proxy's name as `proxyFailed`.
  private func proxyError(_ error: LupineError) -> LupineError {
    guard let proxy = route.proxy, error.kind == .hostNotFound else { return error }
    return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(error.message)")
  }

  /// Cancels the wait for the name.
  func cancelLookup() {
    guard let setup, case .running(let waiter) = setup.lookup else { return }
    loop.lookups.removeWaiter(waiter)
    setup.lookupTimer?.cancel()
    setup.lookupTimer = nil
    setup.lookup = .none
  }
}
