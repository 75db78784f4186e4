import CLibcurl
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

extension Exchange {
  /// Processes a line of a head or of trailers; false ends the exchange.
  func receive(line: UnsafeRawBufferPointer, _ easy: Easy) -> Bool {
    do throws(LupineError) {
      if let setup, try receive(line: line, setup, easy) { return true }
      if !clock.hasResponse { recordResponseStart() }
      switch try easy.headReader.process(line) {
      case nil: break
      case .interim(let head):
        if easy.headReader.statusLine?.code == 100 { incoming.hasContinue = true }
        context.emit(.informational(head))
      case .final(let head):
        easy.set(checksHeadLines: false)
        try expectContent(after: head)
        if head.isChallenge, isAnswered(byLibcurl: head.statusLine.code) {
          connectionSetup().challenge = head
        } else {
          receive(head)
        }
      }
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }

  /// Records the start of the response.
  ///
  /// On a reused connection, libcurl's cleanup of its name cache is turned off: libcurl makes no other connection for
  /// the request.
  private func recordResponseStart() {
    clock.recordResponse(at: MonotonicClock.now)
    if let stream = outgoing.stream, let connection {
      connection.lastAnsweredStream = max(stream, connection.lastAnsweredStream)
    }
    if clock.isReused == true { easy?.set(prunesNameCache: false) }
  }

  /// Processes a line while a challenge is stored or a tunnel is being opened; true if the line needs no other
  /// processing.
  private func receive(
    line: UnsafeRawBufferPointer, _ setup: ConnectionSetup, _ easy: Easy
  ) throws(LupineError) -> Bool {
    if setup.challenge != nil, line.starts(with: "HTTP/".utf8) {
      setup.challenge = nil
      setup.challengeContent = nil
      easy.headReader.prepareForNextHead()
      clock.clearResponse()
    }
    guard ports == nil, setup.tunnel != nil else { return false }
    if let response = try setup.tunnel?.process(line) { context.emit(.tunnelled(response)) }
    return true
  }

  /// Processes a piece of the body; returns its size, or the code that makes libcurl keep it or end the exchange.
  ///
  /// libcurl splits the bytes that it has read into pieces. After a piece that pauses the exchange, libcurl still
  /// passes the other pieces.
  func receive(piece: UnsafeRawBufferPointer, _ easy: Easy) -> Int {
    // libcurl does not pass on the body of a challenge that it answers, so a stored challenge is the response.
    if setup != nil { receiveChallengeAsResponse() }
    guard let writer = incoming.writer else { return Int(CURL_WRITEFUNC_ERROR) }
    if incoming.mustPause { return Int(CURL_WRITEFUNC_PAUSE) }
    do throws(LupineError) {
      incoming.hasUndeliveredBytes = true
      scheduleSettle()
      if incoming.chunks != nil { return try receive(chunks: piece, writer, easy) }
      // The count includes a piece that fails, for example because of a limit or a full disk.
      incoming.byteCount += Int64(piece.count)
      if outgoing.reader != nil { stopSendingIfComplete(easy.headReader.statusLine) }
      if incoming.framing?.isReached(by: incoming.byteCount) == true { contentHasEnded(easy) }
      if try writer.write(piece, hasMore: true) == .pause {
        incoming.isPaused = true
      } else {
        yieldIfTurnIsUsedUp(by: piece.count)
      }
      if incoming.mustPause { curl_easy_pause(easy.pointer, pauses) }
    } catch {
      failure = failure ?? error
      return Int(CURL_WRITEFUNC_ERROR)
    }
    return piece.count
  }

  /// Counts received bytes, and pauses the exchange until the next turn if it has used its share of this one.
  ///
  /// It also pauses if the current call of libcurl takes too long; see `Watchdog`.
  func yieldIfTurnIsUsedUp(by count: Int) {
    guard incoming.usesUpTurn(with: count) || loop.watchdog.isCallSlow else { return }
    incoming.isYielding = true
    loop.resumeNextTurn(self)
  }

  /// Completes the exchange's work at the end of a turn of the loop.
  func settle() {
    willSettle = false
    // The response is complete, so the rest of the request's body is not sent, and the connection cannot be reused.
    if outgoing.isResponseComplete { completeResponse(isReusable: false) }
    if outgoing.isConnectionLost { complete(CURLE_GOT_NOTHING) }
    resumeCaller()
    deliver()
  }

  /// Notifies the consumer of the bytes that arrived in this turn; the end of a body sends its own notification.
  private func deliver() {
    guard incoming.hasUndeliveredBytes else { return }
    incoming.hasUndeliveredBytes = false
    incoming.turnWork = 0
    if isUnderWay { incoming.writer?.deliver() }
  }

  /// Continues to receive, because the sink has room again.
  func resumeReceiving() {
    guard incoming.isPaused, let easy else { return }
    incoming.isPaused = false
    resumeTransfer(on: easy)
  }

  /// Continues in a new turn, after the exchange has used its share of an earlier one.
  func resumeAfterYield() {
    guard incoming.isYielding, let easy else { return }
    incoming.isYielding = false
    resumeTransfer(on: easy)
  }

  /// Resumes the transfer in the directions that are not paused.
  ///
  /// libcurl may pass on kept bytes within the call.
  func resumeTransfer(on easy: Easy) {
    let code = loop.callLibrary { curl_easy_pause(easy.pointer, pauses) }
    loop.resumeWriting(of: multi)
    if code != CURLE_OK { complete(code) }
  }

  /// Records the events that libcurl waits for on the connection.
  ///
  /// If libcurl stops reading although the sink has room, the response is complete. The request's body may still be in
  /// transmission. On HTTP/1.1 the connection must then be closed, because that is how the server detects the end of
  /// the request (RFC 9112 section 9.3). If there is no response, the server has closed the connection; libcurl would
  /// find that only when the body continues (curl#12428).
  func recordEvents(of descriptor: Int32, _ what: Int32, _ easy: Easy) {
    if what != CURL_POLL_REMOVE { setSocket(descriptor) }
    if what == CURL_POLL_REMOVE, hasStoppedReading { return recordLostConnection() }
    guard incoming.writer != nil, !incoming.mustPause, easy.headReader.statusLine?.version != .http2 else { return }
    guard what == CURL_POLL_OUT || (what == CURL_POLL_REMOVE && outgoing.isPaused) else { return }
    outgoing.isResponseComplete = true
    scheduleSettle()
  }

  /// Whether libcurl watches no event of the connection while the exchange has no response and its body waits.
  private var hasStoppedReading: Bool {
    isUnderWay && ports != nil && outgoing.stream == nil && outgoing.isPaused && incoming.writer == nil
      && setup?.challenge == nil
  }

  private func recordLostConnection() {
    outgoing.isConnectionLost = true
    scheduleSettle()
  }

  /// The directions in which libcurl must pause.
  var pauses: Int32 {
    (incoming.mustPause ? CURLPAUSE_RECV : 0) | (outgoing.isPaused ? CURLPAUSE_SEND : 0)
  }

  /// Treats the stored challenge as the response.
  func receiveChallengeAsResponse() {
    guard let setup, let challenge = setup.challenge else { return }
    setup.challenge = nil
    setup.challengeContent = nil
    receive(challenge)
  }

  /// Whether libcurl may answer a challenge with this status code itself.
  func isAnswered(byLibcurl code: Int) -> Bool {
    switch code {
    case 401: route.authenticatesConnections
    case 407: route.isForwarded(url.scheme) && route.proxy?.connectionCredential != nil
    default: false
    }
  }

  private func receive(_ head: ReceivedHead) {
    let source = head.needsProcessing || outgoing.reader != nil ? processFinalHead(head) : .origin
    let (body, writer) = context.makeBody(for: head.response, from: source) {
      [ticket = submission.ticket] in ticket.post(.hasRoom)
    }
    incoming.writer = writer
    if outgoing.reader != nil { stopSendingIfComplete(head.statusLine) }
    setOutcome(.response(head.response, statusCode: head.statusLine.code, body, source))
  }

  /// Keeps the connection's `Handshake`, which records close_notify; libcurl does not expose the connection after it
  /// ends.
  func keepHandshake() {
    guard submission.isSecured || route.hasSecuredProxy, let connection = easy?.connection else { return }
    connectionSetup().closingHandshake = HandshakeCallbacks.handshake(of: connection)
  }

  /// Stops sending the request's body after the HTTP/2 response is complete.
  ///
  /// Otherwise libcurl keeps sending, and waits forever without flow-control window. For HTTP/1.1 see `recordEvents`.
  private func stopSendingIfComplete(_ line: StatusLine?) {
    guard line?.isMultiplexed == true, incoming.framing?.isReached(by: incoming.byteCount) == true else { return }
    outgoing.isResponseComplete = true
    scheduleSettle()
  }

  /// Updates the connection and the request's body after a head, and returns the sender of the response.
  private func processFinalHead(_ head: ReceivedHead) -> TransportResponse.Source {
    let line = head.statusLine
    if line.version == .http2, !route.cannotShareConnection(url.scheme) { loop.recordMultiplexing(of: self) }
    // A 204 has no body. A server that announces one may send it, and those bytes would become the start of the next
    // response.
    if line.code == 204, head.declaresContent { easy?.forbidReuse() }
    // A final response instead of 100: the server does not request the body (RFC 9110 section 10.1.1).
    if expectsContinue, !incoming.hasContinue, outgoing.byteCount == 0 {
      outgoing.isAbandoned = true
      // The server may still wait for the body, and would take the next request for it. After a 417 the connection is
      // lost anyway, because `maySendRequest` rejects libcurl's resend.
      if line.version != .http2, line.code != 417 { easy?.forbidReuse() }
    }
    // Only a proxy that forwards the request sends 407. Inside a tunnel, the response is the server's.
    guard line.code == 407, route.isForwarded(url.scheme) else { return .origin }
    // A proxy that sends a challenge before it has read the whole body may stop reading from the connection, as squid 5
    // does.
    if outgoing.byteCount > 0 { easy?.forbidReuse() }
    return .proxy
  }
}
