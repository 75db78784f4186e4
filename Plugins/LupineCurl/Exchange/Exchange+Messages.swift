import CLibcurl
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The request's body and the response, which libcurl's callbacks bring.
extension Exchange {
  /// Fills libcurl's buffer with the next bytes of the request's body; returns their number or a code of libcurl.
  func readBody(into space: UnsafeMutableRawBufferPointer) -> Int {
    do throws(LupineError) {
      guard let count = try upload.read(into: space) else { return Int(CURL_READFUNC_PAUSE) }
      if upload.isComplete { clock.recordSent(at: MonotonicClock.now) }
      return count
    } catch {
      record(failure: error)
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// Processes a line of a head or of trailers; false ends the exchange.
  func receive(line: UnsafeRawBufferPointer, _ easy: Easy) -> Bool {
    record(failureOf: { () throws(LupineError) in
      if authentication?.dropChallenge(before: line) == true {
        easy.headReader.prepareForNextHead()
        clock.clearResponse()
      }
      if awaitsTunnel {
        try setup?.receive(tunnelLine: line, of: self)
        return true
      }
      if !clock.hasResponse { recordResponseStart() }
      switch try easy.headReader.process(line) {
      case nil: break
      case .interim(let head):
        if easy.headReader.statusLine?.code == 100 { incoming.hasContinue = true }
        context.emit(.informational(head))
      case .final(let head):
        easy.set(checksHeadLines: false)
        let isEmpty = try beginContent(after: head, easy)
        if head.isChallenge, route.answers(head.statusLine.code, url.scheme) {
          hold(head, isEmpty: isEmpty, easy)
        } else {
          receive(head)
        }
      }
      return true
    })
  }

  /// Records the start of the response.
  ///
  /// On a reused connection, libcurl's cleanup of its name cache is turned off: libcurl makes no other connection for
  /// the request.
  private func recordResponseStart() {
    clock.recordResponse(at: MonotonicClock.now)
    if let number = stream.number { connection.shared?.recordAnswer(on: number) }
    if clock.isReused == true { easy?.set(prunesNameCache: false) }
  }

  /// Prepares for the content that follows a final head; returns whether there is none.
  ///
  /// - Throws: kind `malformedResponse` if the status line has the version of another protocol than the connection's.
  private func beginContent(after head: ReceivedHead, _ easy: Easy) throws(LupineError) -> Bool {
    guard !head.statusLine.isMultiplexed || easy.mayHaveStreams else {
      throw FinalHead.wrongVersion
    }
    let framing = ResponseEnd.Framing(head, to: submission.method)
    incoming.begin(framing, context.limits, tolerating: context.tolerances)
    if framing == .close, submission.isSecured || route.hasSecuredProxy, let connection = easy.connection {
      incoming.closing = ClosingTLS(connection, endsAtServer: !route.hasSecuredProxy, context, after: head.response)
    }
    let isEmpty = framing.isReached(by: 0)
    guard !head.statusLine.isMultiplexed else { return isEmpty }
    if easy.fields?.endConnection == true || easy.headReader.tolerated.endsConnection { easy.forbidReuse() }
    if isEmpty {
      easy.set(isVerbose: true)
      contentHasEnded(easy)
    }
    return isEmpty
  }

  /// Holds a challenge that libcurl may answer.
  private func hold(_ head: ReceivedHead, isEmpty: Bool, _ easy: Easy) {
    if !head.statusLine.isMultiplexed { easy.set(isVerbose: true) }
    if authentication == nil { authentication = ConnectionAuthentication() }
    authentication?.hold(head, isEmpty: isEmpty, after: easy.headReader.tolerated, context)
  }

  /// Treats the held challenge as the response.
  func receiveChallengeAsResponse() {
    if let challenge = authentication?.challenge.take() { receive(challenge.head) }
  }

  private func receive(_ head: ReceivedHead) {
    let source = head.needsProcessing || upload.reader != nil ? process(head) : .origin
    let (body, writer) = context.makeBody(for: head.response, from: source) {
      [ticket = submission.ticket] in ticket.post(.hasRoom)
    }
    incoming.writer = writer
    finishEarlyIfComplete()
    setOutcome(
      .success(
        TransportResponse(head: head.response, statusCode: head.statusLine.code, body: body, source: source)))
  }

  /// Updates the connection and the request's body after a head, and returns the sender of the response.
  private func process(_ head: ReceivedHead) -> TransportResponse.Source {
    if head.statusLine.version == .http2, !route.cannotShareConnection(url.scheme) {
      loop.recordMultiplexing(of: self)
    }
    let expectsContinue =
      upload.reader != nil && (request.expectsContinue || request.headers.contains(.expect))
    let final = FinalHead(
      head: head, isForwarded: route.isForwarded(url.scheme),
      waitsForContinue: expectsContinue && !incoming.hasContinue, bytesSent: upload.byteCount)
    if final.refusesBody { upload.isAbandoned = true }
    if final.closesConnection { easy?.forbidReuse() }
    return final.source
  }

  /// Processes a piece of the body; returns its size, or the code that makes libcurl keep it or end the exchange.
  ///
  /// libcurl splits the bytes that it has read into pieces. After a piece that pauses the exchange, libcurl still
  /// passes the other pieces.
  func receive(piece: UnsafeRawBufferPointer, _ easy: Easy) -> Int {
    // libcurl does not pass on the body of a challenge that it answers, so a held challenge is the response.
    if authentication != nil { receiveChallengeAsResponse() }
    guard let writer = incoming.writer else { return Int(CURL_WRITEFUNC_ERROR) }
    if incoming.mustPause { return Int(CURL_WRITEFUNC_PAUSE) }
    scheduleSettle()
    do throws(LupineError) {
      let progress = try incoming.pass(
        piece, to: writer, trailersTo: &easy.headReader, isSlow: loop.watchdog.isCallSlow)
      finishEarlyIfComplete()
      if progress.hasEnded { contentHasEnded(easy) }
      // The remaining bytes are not part of this response.
      if progress.hasSurplus || incoming.endsConnection(after: easy.headReader.tolerated) { easy.forbidReuse() }
      if incoming.isYielding { loop.resumeNextTurn(self) }
      if progress.isKept { return Int(CURL_WRITEFUNC_PAUSE) }
      if incoming.mustPause { curl_easy_pause(easy.pointer, pauses) }
      return piece.count
    } catch {
      record(failure: error)
      return Int(CURL_WRITEFUNC_ERROR)
    }
  }

  /// Closes the connection after the exchange if bytes follow the end of the content.
  ///
  /// Such bytes must not become the next response on the connection (RFC 9112 section 9.2). In HTTP/2 they belong to
  /// other streams.
  private func contentHasEnded(_ easy: Easy) {
    if easy.headReader.statusLine?.isMultiplexed == false, easy.hasDecryptedBytes { easy.forbidReuse() }
  }

  /// Ends the exchange after a complete response whose end libcurl would not find.
  ///
  /// After an HTTP/2 response libcurl keeps sending the request's body, and waits forever without flow-control window; for
  /// HTTP/1.1 see `recordEvents`. After a tolerated `Transfer-Encoding: identity` it waits for the end of the connection.
  private func finishEarlyIfComplete() {
    guard incoming.hasReachedEnd, let easy else { return }
    let keepsSending = upload.reader != nil && easy.headReader.statusLine?.isMultiplexed == true
    if keepsSending || easy.headReader.tolerated.contains(.identityCoding) { scheduleEnd(.response) }
  }
}

/// The pauses of both bodies.
extension Exchange {
  /// Continues to send, because the reader has bytes again.
  func resumeSending() {
    if let easy, upload.resume() { resumeTransfer(on: easy) }
  }

  /// Continues to receive, because the sink has room again.
  func resumeReceiving() {
    if let easy, incoming.resume() { resumeTransfer(on: easy) }
  }

  /// Continues in a new turn, after the exchange has used its share of an earlier one.
  func resumeAfterYield() {
    if let easy, incoming.resumeAfterYield() { resumeTransfer(on: easy) }
  }

  /// Resumes the transfer in the directions that are not paused.
  ///
  /// libcurl may pass on kept bytes within the call.
  private func resumeTransfer(on easy: Easy) {
    let code = loop.callLibrary { curl_easy_pause(easy.pointer, pauses) }
    loop.resumeWriting(of: multi)
    if code != CURLE_OK { transferEnded(code) }
  }

  /// The directions in which libcurl must pause.
  var pauses: Int32 {
    (incoming.mustPause ? CURLPAUSE_RECV : 0) | (upload.isPaused ? CURLPAUSE_SEND : 0)
  }

  /// Records the events that libcurl waits for on the connection.
  ///
  /// If libcurl stops reading although the sink has room, the response is complete. The request's body may still be in
  /// transmission. On HTTP/1.1 the connection must then be closed, because that is how the server detects the end of
  /// the request (RFC 9112 section 9.3). If there is no response, the server has closed the connection; libcurl would
  /// find that only when the body continues (curl#12428).
  func recordEvents(of descriptor: Int32, _ what: Int32, _ easy: Easy) {
    if what != CURL_POLL_REMOVE { setSocket(descriptor) }
    if what == CURL_POLL_REMOVE, hasStoppedReading { return scheduleEnd(.lostConnection) }
    guard incoming.writer != nil, !incoming.mustPause, easy.headReader.statusLine?.version != .http2 else { return }
    guard what == CURL_POLL_OUT || (what == CURL_POLL_REMOVE && upload.isPaused) else { return }
    scheduleEnd(.response)
  }

  /// Whether libcurl watches no event of the connection while the exchange has no response and its body waits.
  private var hasStoppedReading: Bool {
    isUnderWay && ports != nil && stream.number == nil && upload.isPaused && incoming.writer == nil
      && authentication?.challenge == nil
  }
}
