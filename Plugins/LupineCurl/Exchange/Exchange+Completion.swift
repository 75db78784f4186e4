import CLibcurl
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

extension Exchange {
  /// Processes libcurl's report that the transfer has ended.
  func complete(_ code: CURLcode) {
    if setup != nil {
      if startLookup(after: code) || restartWithFreedDescriptor() { return }
      if code == CURLE_OK { receiveChallengeAsResponse() }
    }
    if failure == nil, incoming.writer != nil {
      if code == CURLE_OK { return completeResponse(isReusable: true) }
      // libcurl's resend was rejected, and the response has already arrived.
      if code == CURLE_ABORTED_BY_CALLBACK, outgoing.isAbandoned { return finish(isReusable: false) }
    }
    guard let easy, !tryNextTarget(after: code, easy) else { return }
    if failure == nil, ports == nil, let refusal = setup?.tunnel?.refusal { return finish(refused: refusal) }
    let error =
      failure ?? descriptorError ?? (isUnprocessed ? Self.unprocessed : nil) ?? routeError(code, easy)
      ?? CurlError.error(
        code, text: easy.errorText, system: Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO)),
        hasConnection: ports != nil, isMultiplexed: outgoing.stream != nil)
    fail(error)
  }

  /// Ends a response that libcurl reports as complete.
  ///
  /// The exchange succeeds if the framing proves that the body is complete. Otherwise it fails with kind
  /// `connectionLost`.
  func completeResponse(isReusable: Bool) {
    if let failure = responseEnd?.failure { fail(failure) } else { finish(isReusable: isReusable) }
  }

  /// How the body ends; nil before the final head has arrived.
  private var responseEnd: ResponseEnd? {
    guard let framing = incoming.framing else { return nil }
    var end = ResponseEnd(framing: framing, received: incoming.byteCount)
    end.isConnectionClosed = connection?.isClosed ?? true
    end.hasLastChunk = incoming.chunks?.isFinished ?? true
    if submission.isSecured || route.hasSecuredProxy {
      end.hasCloseNotify = setup?.closingHandshake?.hasCloseNotify == true
    }
    return end
  }

  func cancel() {
    fail(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Delivers a proxy's refusal of a tunnel as the response.
  private func finish(refused head: HTTPResponse) {
    let (body, writer) = context.makeBody(for: head, from: .proxy) {}
    incoming.writer = writer
    setOutcome(.response(head, statusCode: head.status.code, body, .proxy))
    finish(isReusable: false)
  }

  func finish(isReusable: Bool) {
    guard !hasEnded else { return }
    let now = MonotonicClock.now
    let easy = self.easy.take()
    let (trailers, metrics) = (easy?.headReader.trailers, metrics(easy, at: now))
    release(easy, isReusable: isReusable, at: now)
    incoming.writer.take()?.finish(trailers: trailers, metrics: metrics)
  }

  /// Ends the exchange with an error, in any state.
  func fail(_ error: LupineError) {
    guard !hasEnded else { return }
    let now = MonotonicClock.now
    let easy = self.easy.take()
    let metrics = metrics(easy, at: now)
    if error.kind == .connectionLost, !clock.hasResponse { loop.endIdle(like: self) }
    if let easy, ports == nil { emitNameResolved(easy) }
    release(easy, isReusable: false, at: now)
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
      easy.handle, submission.target.lookup, sent: outgoing.byteCount, received: incoming.byteCount,
      address: remoteAddress(easy), version: easy.headReader.statusLine?.version, tls: tls, at: now)
  }

  private func release(_ easy: Easy?, isReusable: Bool, at now: UInt64) {
    assert(!loop.isInLibrary, "An exchange must not end within a call of libcurl, whose callbacks use the exchange.")
    hasEnded = true
    loop.endRace(id)
    outgoing.reader?.cancel()
    cancelLookup()
    let discarded = easy?.isConnectionDiscarded == true ? connection : nil
    if let easy {
      multi.remove(easy, isReusable: isReusable)
      keepIfUnsent(easy)
    }
    if !attempts.isEmpty { loop.forgetAbandoned(by: self) }
    multi.removeExchange(at: now)
    let loop = loop
    if isReusable { loop.watchIdle(socket, of: host, at: now) }
    loop.remove(self)
    if let discarded { loop.discard(discarded) }
  }

  /// Keeps the removed handle of a request that may not have been sent; see `UnsentRequests`.
  private func keepIfUnsent(_ easy: Easy) {
    guard LibcurlInfo.usesRemovedHandles, !clock.hasResponse, let stream = outgoing.stream else { return }
    multi.keepUnsent(easy, stream: stream, on: connection)
  }
}

/// Tracks whether the server has processed a request that got no response.
extension Exchange {
  /// Processes a line of libcurl's verbose text.
  func process(_ text: VerboseText) {
    switch text {
    case .stream(let number): outgoing.stream = number
    case .goAway(let last): applyGoAway(above: last)
    case .refused: outgoing.isUnprocessed = true
    case .needsHTTP1: failure = failure ?? Self.needsHTTP1
    case .surplus: setup?.challengeContent?.recordSurplus()
    }
  }

  /// Whether the server has certainly not processed the request: it reported this, and no part of a response has
  /// arrived.
  var isUnprocessed: Bool { outgoing.isUnprocessed && !clock.hasResponse && incoming.writer == nil }

  /// Whether libcurl is about to resend the request.
  ///
  /// False for the next round of NTLM or Negotiate.
  var isResent: Bool { ports != nil && setup?.challenge == nil && incoming.writer == nil }

  /// Applies a GOAWAY to every exchange of the connection; libcurl reports it only to the exchange that is reading.
  private func applyGoAway(above last: UInt32) {
    guard let ports, last < outgoing.lastStream ?? .max else { return }
    guard ports.identifiesConnection else { return recordGoAway(above: last) }
    for exchange in loop.exchanges.values
    where exchange.isUnderWay && exchange.multi === multi && exchange.ports == ports {
      exchange.recordGoAway(above: last)
    }
  }

  private func recordGoAway(above last: UInt32) {
    outgoing.lastStream = last
    if let stream = outgoing.stream, stream > last { outgoing.isUnprocessed = true }
  }

  /// The error of an exchange whose request libcurl must not resend.
  var resendError: LupineError { isUnprocessed ? Self.unprocessed : Self.connectionLost }

  static let unprocessed = LupineError(.connectionLost, "The server reported that it did not process the request.")
    .unprocessed()

  private static let connectionLost = LupineError(
    .connectionLost,
    "The connection ended before the response began; whether the server has acted on the request is not known.")

  private static let needsHTTP1 = LupineError(
    .other, "The server requires HTTP/1.1 for this request (HTTP_1_1_REQUIRED); request that version.")
}
