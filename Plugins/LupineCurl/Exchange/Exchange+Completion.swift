import CLibcurl
import LupineCore
import LupineFraming

extension Exchange {
  /// Processes libcurl's report that the transfer has ended.
  func complete(_ code: CURLcode) {
    if rare != nil {
      if looksUp(after: code) || beginsAnewWithRoom() { return }
      if code == CURLE_OK { receiveHeld() }
    }
    if failure == nil, incoming.writer != nil {
      if code == CURLE_OK { return conclude(isReusable: true) }
      // libcurl's resend was rejected, and the response has already arrived.
      if code == CURLE_ABORTED_BY_CALLBACK, outgoing.isAbandoned { return finish(isReusable: false) }
    }
    guard let easy, !triesNextTarget(after: code, easy) else { return }
    if failure == nil, ports == nil, let refusal = rare?.tunnel?.refusal { return finish(refused: refusal) }
    let error =
      failure ?? descriptorError ?? (isUnprocessed ? Self.unprocessed : nil) ?? routeError(code, easy)
      ?? CurlError.error(
        code, text: easy.errorText, system: Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO)),
        hasConnection: ports != nil, isMultiplexed: outgoing.stream != nil)
    end(error)
  }

  /// Ends a response that libcurl reports as complete.
  ///
  /// The exchange succeeds if the framing proves that the body is complete. Otherwise it fails with kind
  /// `connectionLost`.
  func conclude(isReusable: Bool) {
    if let failure = responseEnd?.failure { end(failure) } else { finish(isReusable: isReusable) }
  }

  /// How the body ends; nil before the final head has arrived.
  private var responseEnd: ResponseEnd? {
    guard let framing = incoming.framing else { return nil }
    var end = ResponseEnd(framing: framing, taken: incoming.taken)
    end.isConnectionClosed = connection?.isClosed ?? true
    end.hasLastChunk = incoming.chunks?.isFinished ?? true
    if submission.isSecured || route.hasSecuredProxy {
      end.hasCloseNotify = rare?.connectionEnd?.hasCloseNotify == true
    }
    return end
  }

  func cancel() {
    end(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Delivers a proxy's refusal of a tunnel as the response.
  private func finish(refused head: ReceivedHead) {
    let (body, writer) = context.makeBody(for: head.response, from: .proxy) {}
    incoming.writer = writer
    answer(.response(head, body, .proxy))
    finish(isReusable: false)
  }

  func finish(isReusable: Bool) {
    guard !isOver else { return }
    let now = Moment.now
    let easy = self.easy.take()
    let (trailers, metrics) = (easy?.headReader.trailers, metrics(easy, at: now))
    release(easy, isReusable: isReusable, at: now)
    incoming.writer.take()?.finish(trailers: trailers, metrics: metrics)
  }

  /// Ends the exchange with an error, in any state.
  func end(_ error: LupineError) {
    guard !isOver else { return }
    let now = Moment.now
    let easy = self.easy.take()
    let metrics = metrics(easy, at: now)
    if let easy, ports == nil { tellLookup(easy) }
    release(easy, isReusable: false, at: now)
    if let writer = incoming.writer.take() {
      writer.fail(error, metrics: metrics)
    } else {
      answer(.failure(error.measured(metrics)))
    }
  }

  private func metrics(_ easy: Easy?, at now: UInt64) -> TransferMetrics {
    // A local copy avoids the exclusivity checks of a class member.
    let clock = self.clock
    guard let easy else { return clock.metrics(submission.target.lookup, at: now) }
    return clock.metrics(
      easy.handle, submission.target.lookup, sent: outgoing.taken, received: incoming.taken,
      address: remoteAddress(easy), version: easy.headReader.line?.version, tls: tls, at: now)
  }

  private func release(_ easy: Easy?, isReusable: Bool, at now: UInt64) {
    assert(!loop.isInLibrary, "An exchange ends within a call of libcurl's, whose callbacks rely on it.")
    isOver = true
    outgoing.reader?.cancel()
    leaveLookup()
    let discarded = easy?.isConnectionDiscarded == true ? connection : nil
    if let easy { multi.remove(easy, isReusable: isReusable) }
    multi.leave(at: now)
    let loop = loop
    if isReusable { loop.guardIdle(socket) }
    loop.isOver(self)
    if let discarded { loop.discard(discarded) }
  }
}

/// Tracks whether the server has processed a request that got no response.
extension Exchange {
  /// Processes a line of libcurl's verbose text.
  func hear(_ text: VerboseText) {
    switch text {
    case .stream(let number): outgoing.stream = number
    case .goAway(let last): leave(above: last)
    case .refused: outgoing.isUnprocessed = true
    case .needsHTTP1: failure = failure ?? Self.needsHTTP1
    case .surplus: rare?.heldContent?.noteSurplus()
    }
  }

  /// Whether the server has certainly not processed the request: it reported this, and no part of a response has
  /// arrived.
  var isUnprocessed: Bool { outgoing.isUnprocessed && !clock.isAnswered && incoming.writer == nil }

  /// Whether libcurl is about to resend the request.
  ///
  /// False for the next round of NTLM or Negotiate.
  var isResent: Bool { ports != nil && rare?.held == nil && incoming.writer == nil }

  /// Applies a GOAWAY to every exchange of the connection; libcurl reports it only to the exchange that is reading.
  private func leave(above last: UInt32) {
    guard let ports, last < outgoing.lastStream ?? .max else { return }
    guard ports.isKnown else { return isLeft(above: last) }
    for exchange in loop.exchanges.all where exchange.isUnderWay && exchange.multi === multi && exchange.ports == ports
    {
      exchange.isLeft(above: last)
    }
  }

  private func isLeft(above last: UInt32) {
    outgoing.lastStream = last
    if let stream = outgoing.stream, stream > last { outgoing.isUnprocessed = true }
  }

  /// The error of an exchange whose request libcurl must not resend.
  var resendRefusal: LupineError { isUnprocessed ? Self.unprocessed : Self.lost }

  static let unprocessed = LupineError(.connectionLost, "The server has not processed the request, as it said itself.")
    .unprocessed()

  private static let lost = LupineError(
    .connectionLost,
    "The connection ended before the response began; whether the server has acted on the request is not known.")

  private static let needsHTTP1 = LupineError(
    .other, "The server wants HTTP/1.1 for this request (HTTP_1_1_REQUIRED); ask for that version.")
}
