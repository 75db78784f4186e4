import CLibcurl
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The end of an exchange: `finish` or `fail`, once.
extension Exchange {
  /// Processes libcurl's report that the transfer has ended.
  func transferEnded(_ code: CURLcode) {
    if failure == nil, let setup,
      record(failureOf: { () throws(LupineError) in try setup.restartIfNeeded(self, after: code) })
    {
      return
    }
    if code == CURLE_OK { receiveChallengeAsResponse() }
    if failure == nil, incoming.writer != nil {
      if code == CURLE_OK { return finishResponse(isReusable: true) }
      // libcurl's resend was rejected, and the response has already arrived.
      if code == CURLE_ABORTED_BY_CALLBACK, upload.isAbandoned { return finish(isReusable: false) }
    }
    guard let easy else { return }
    let transfer = FailedTransfer(code, of: self, easy)
    if failure == nil, transfer.concernsTarget,
      record(failureOf: { () throws(LupineError) in try connectionSetup().tryNextTarget(of: self) })
    {
      return
    }
    if failure == nil, ports == nil, let refusal = setup?.tunnel?.refusal { return finish(refused: refusal) }
    fail(failure ?? transfer.error)
  }

  /// Ends the exchange after a response that libcurl reports as complete.
  ///
  /// The exchange succeeds if the framing proves that the body is complete. Otherwise it fails with kind
  /// `connectionLost`.
  func finishResponse(isReusable: Bool) {
    var end = incoming.end
    end?.isConnectionClosed = connection.shared?.isClosed ?? true
    if submission.isSecured || route.hasSecuredProxy { end?.record(incoming.closing) }
    if let failure = end?.failure { fail(failure) } else { finish(isReusable: isReusable) }
  }

  /// Ends the exchange with a proxy's refusal of a tunnel as the response.
  private func finish(refused head: HTTPResponse) {
    let (body, writer) = context.makeBody(for: head, from: .proxy) {}
    incoming.writer = writer
    setOutcome(.success(TransportResponse(head: head, body: body, source: .proxy)))
    finish(isReusable: false)
  }

  private func finish(isReusable: Bool) {
    guard !hasEnded else { return }
    let now = MonotonicClock.now
    let easy = self.easy.take()
    let (trailers, metrics) = (easy?.headReader.trailers, metrics(easy, at: now))
    close(easy, isReusable: isReusable, at: now)
    incoming.writer.take()?.finish(trailers: trailers, metrics: metrics)
  }

  /// Ends the exchange with the reason of its control.
  func cancel() {
    fail(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Ends the exchange with an error, in any state.
  func fail(_ error: LupineError) {
    guard !hasEnded else { return }
    let now = MonotonicClock.now
    let easy = self.easy.take()
    let metrics = metrics(easy, at: now)
    if error.kind == .connectionLost, !clock.hasResponse { loop.closeIdle(like: self) }
    if let easy, ports == nil { emitNameResolved(easy) }
    close(easy, isReusable: false, hasTimedOut: error.isTimeout, at: now)
    if let writer = incoming.writer.take() {
      writer.fail(error, metrics: metrics)
    } else {
      setOutcome(.failure(error.measured(metrics)))
    }
  }

  private func metrics(_ easy: Easy?, at now: UInt64) -> TransferMetrics {
    // A local copy avoids the exclusivity checks of a class member.
    let clock = self.clock
    guard let easy else { return clock.metrics(submission.target.lookup, at: now) }
    return clock.metrics(
      easy.handle, submission.target.lookup, sent: upload.byteCount, received: incoming.byteCount,
      address: remoteAddress(easy), version: easy.headReader.statusLine?.version, tls: connection.tls, at: now)
  }

  /// Releases everything that belongs to the exchange.
  private func close(_ easy: Easy?, isReusable: Bool, hasTimedOut: Bool = false, at now: UInt64) {
    assert(!loop.isInLibrary, "An exchange must not end within a call of libcurl, whose callbacks use the exchange.")
    hasEnded = true
    loop.closeRace(of: id)
    upload.reader?.cancel()
    setup?.cancelLookup()
    let unusable = hasTimedOut || easy?.isConnectionDiscarded == true ? connection.shared : nil
    if let easy {
      multi.remove(easy, isReusable: isReusable, hasWaited: connection.isMissing)
      multi.keepIfUnsent(easy, of: self)
    }
    if !attempts.isEmpty { loop.removeClosedAttempts(of: self) }
    multi.removeExchange(at: now)
    let loop = loop
    if isReusable { loop.watchIdle(connection.socket, of: host, at: now) }
    loop.remove(self)
    if let unusable { loop.closeIfUnused(unusable) }
  }
}

/// Tracks whether the server has processed a request that got no response.
extension Exchange {
  /// Processes a line of libcurl's verbose text.
  func process(_ text: VerboseText) {
    switch text {
    case .stream(let number):
      stream.number = number
      if let last = connection.shared?.lastStream { record(goAwayAbove: last) }
    case .goAway(let last): loop.record(goAwayAbove: last, on: self)
    case .refused: stream.recordRefusal()
    case .needsHTTP1: record(failure: FailedTransfer.needsHTTP1)
    case .surplus: authentication?.challenge?.content?.recordSurplus()
    }
  }

  /// Records a GOAWAY frame; an exchange that it excludes ends with the turn, because libcurl may never end it.
  func record(goAwayAbove last: UInt32) {
    stream.record(goAwayAbove: last)
    if stream.isExcluded, isUnprocessed { scheduleEnd(.lostConnection) }
  }

  /// Whether the server has certainly not processed the request: it reported this, and no part of a response has
  /// arrived.
  var isUnprocessed: Bool { stream.isUnprocessed && !clock.hasResponse && incoming.writer == nil }

  /// Whether libcurl is about to resend the request.
  ///
  /// False for the next round of NTLM or Negotiate.
  private var isResent: Bool { ports != nil && authentication?.challenge == nil && incoming.writer == nil }

  /// Whether libcurl may open a connection; never to resend the request.
  func mayConnect() -> Bool {
    guard isResent else { return true }
    record(failure: resendError)
    return false
  }

  /// The error of an exchange whose request libcurl must not resend.
  var resendError: LupineError { isUnprocessed ? RequestStream.unprocessed : FailedTransfer.connectionLost }
}

extension LupineError {
  /// Whether a timeout ended the exchange.
  fileprivate var isTimeout: Bool { if case .timedOut = kind { true } else { false } }
}
