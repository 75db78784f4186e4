import CLibcurl
import HTTPTypes
import LupineCore

extension Exchange {
  /// Takes a line of a head or of trailers; false ends the exchange.
  func receive(line: UnsafeRawBufferPointer, _ headReader: HeadReader) -> Bool {
    do throws(LupineError) {
      if let rare, try receive(line: line, rare, headReader) { return true }
      if !clock.isAnswered { begin() }
      switch try headReader.take(line) {
      case nil: break
      case .informational(let head):
        if headReader.line?.code == 100 { incoming.hasContinue = true }
        context.emit(.informational(head))
      case .final(let head):
        expectContent(after: head)
        if head.isChallenge, isAnswered(byLibrary: head.line.code) { rareState().held = head } else { receive(head) }
      }
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }

  /// Notes that the response has begun: libcurl makes no other connection for the request from here on.
  private func begin() {
    clock.receive(at: Moment.now)
    if clock.isReused == true { easy?.set(forgetsNames: false) }
  }

  /// Takes a line where a challenge is held back or a tunnel is opened; true where nothing else is to be done with it.
  private func receive(
    line: UnsafeRawBufferPointer, _ rare: RareState, _ headReader: HeadReader
  ) throws(LupineError) -> Bool {
    if rare.held != nil, line.starts(with: "HTTP/".utf8) {
      rare.held = nil
      rare.heldContent = nil
      headReader.beginAgain()
      clock.receiveAgain()
    }
    guard ports == nil, rare.tunnel != nil else { return false }
    if let opened = try rare.tunnel?.take(line) { context.emit(.tunnelled(opened)) }
    return true
  }

  /// Takes a piece of the body and returns its size, or what tells libcurl to keep it or to end the exchange.
  ///
  /// libcurl cuts what it has read into pieces, and goes on handing them over after a pause that one of them brought.
  func receive(piece: UnsafeRawBufferPointer, _ easy: Easy) -> Int {
    // The body of a challenge that it answers libcurl keeps to itself.
    if rare != nil { receiveHeld() }
    guard let writer = incoming.writer else { return Int(CURL_WRITEFUNC_ERROR) }
    if incoming.isHeldBack { return Int(CURL_WRITEFUNC_PAUSE) }
    do throws(LupineError) {
      incoming.isUndelivered = true
      touch()
      if incoming.chunks != nil { return try receive(chunks: piece, writer, easy) }
      // Also the piece arrived at which the exchange fails, as over a limit or with a full disk.
      incoming.taken += Int64(piece.count)
      if outgoing.reader != nil { noteEnd(of: easy.headReader.line) }
      if incoming.framing?.isReached(by: incoming.taken) == true { contentHasEnded(easy) }
      if try writer.append(piece) == .pause { incoming.isPaused = true } else { yieldAfterShare(of: piece.count) }
      if incoming.isHeldBack { curl_easy_pause(easy.pointer, pauses) }
    } catch {
      failure = failure ?? error
      return Int(CURL_WRITEFUNC_ERROR)
    }
    return piece.count
  }

  /// Counts bytes handed on, and holds the exchange back until the next turn once it has had its share of this one.
  func yieldAfterShare(of count: Int) {
    guard incoming.hasHadShare(with: count) || loop.watch.isCallLate else { return }
    incoming.isYielding = true
    loop.yields(self)
  }

  /// Does what is left to do at the end of a turn of the loop.
  func settle() {
    // The response is complete, so what is left of the body is not sent; the connection is of no use any more.
    if outgoing.isUnwanted { conclude(isReusable: false) }
    handOver()
    deliver()
  }

  /// Hands over what one turn of the loop has brought; the end of a body hands it over by itself.
  private func deliver() {
    guard incoming.isUndelivered else { return }
    incoming.isUndelivered = false
    incoming.share = 0
    if isUnderWay { incoming.writer?.deliver() }
  }

  /// The sink has room again.
  func resumeReceiving() {
    guard incoming.isPaused, let easy else { return }
    incoming.isPaused = false
    go(on: easy)
  }

  /// Goes on after it has had its share of an earlier turn.
  func takeTurn() {
    guard incoming.isYielding, let easy else { return }
    incoming.isYielding = false
    go(on: easy)
  }

  /// Lets libcurl go on where nothing holds it back; it may hand over what it has kept at once.
  func go(on easy: Easy) {
    let code = loop.callLibrary { curl_easy_pause(easy.pointer, pauses) }
    if code != CURLE_OK { complete(code) }
  }

  /// Takes note of what libcurl waits for on the connection.
  ///
  /// When it reads no more although the sink has room, the response is complete. The body may still be going out, and on
  /// HTTP/1.1 the connection then has to be closed for the server to see that no more comes (RFC 9112 section 9.3).
  func watches(_ descriptor: Int32, for what: Int32, _ easy: Easy) {
    if what != CURL_POLL_REMOVE { take(socket: descriptor) }
    guard incoming.writer != nil, !incoming.isHeldBack, easy.headReader.line?.version != .http2 else { return }
    guard what == CURL_POLL_OUT || (what == CURL_POLL_REMOVE && outgoing.isPaused) else { return }
    outgoing.isUnwanted = true
    touch()
  }

  /// The directions in which libcurl is to hold back.
  var pauses: Int32 {
    (incoming.isHeldBack ? CURLPAUSE_RECV : 0) | (outgoing.isPaused ? CURLPAUSE_SEND : 0)
  }

  /// Takes the challenge that was held back for what it is: the response.
  func receiveHeld() {
    guard let rare, let held = rare.held else { return }
    rare.held = nil
    rare.heldContent = nil
    receive(held)
  }

  /// Whether libcurl may be about to answer a challenge by itself.
  func isAnswered(byLibrary code: Int) -> Bool {
    switch code {
    case 401: route.provesConnections
    case 407: route.isForwarded(url.scheme) && route.proxy?.connectionCredential != nil
    default: false
    }
  }

  private func receive(_ head: ReceivedHead) {
    let source = head.needsCare || outgoing.reader != nil ? takeNote(of: head) : .origin
    let (body, writer) = context.makeBody(for: head.response, from: source) {
      [ticket = submission.ticket] in ticket.receive()
    }
    incoming.writer = writer
    if outgoing.reader != nil { noteEnd(of: head.line) }
    answer(.response(head, body, source))
  }

  /// Keeps the connection's `Handshake`, which records close_notify; libcurl does not expose the connection after it
  /// ends.
  func watchEnd() {
    guard submission.isSecured || route.hasSecuredProxy, let connection = easy?.connection else { return }
    rareState().connectionEnd = TrustCallbacks.handshake(of: connection)
  }

  /// Stops sending the request's body once the HTTP/2 response is complete.
  ///
  /// Otherwise libcurl keeps sending, and waits for ever without flow-control window. For HTTP/1.1 see `watches`.
  private func noteEnd(of line: StatusLine?) {
    guard line?.isMultiplexed == true, incoming.framing?.isReached(by: incoming.taken) == true else { return }
    outgoing.isUnwanted = true
    touch()
  }

  /// Does what follows from a head for the connection and for the request's body, and says who answered.
  private func takeNote(of head: ReceivedHead) -> TransportResponse.Source {
    let (line, framing) = (head.line, head.framing)
    if line.version == .http2, !route.sharesNoConnection(url.scheme) { loop.isMultiplexed(self) }
    // A 204 has no body; a server that announces one may send it, and the next response would begin with it.
    if line.code == 204, framing.isChunked || framing.contentLength ?? 0 > 0 { easy?.forbidReuse() }
    // A final answer in place of 100: the body is not wanted (RFC 9110 section 10.1.1).
    if expectsContinue, !incoming.hasContinue, outgoing.taken == 0 {
      outgoing.isAbandoned = true
      // The server may wait for the body all the same: the next request must not be taken for it. After a 417 libcurl is
      // kept from asking again, and loses the connection by that.
      if line.version != .http2, line.code != 417 { easy?.forbidReuse() }
    }
    // No server asks who its client is to a proxy; what comes through a tunnel is no proxy's word.
    guard line.code == 407, route.isForwarded(url.scheme) else { return .origin }
    // A proxy that asks before it has read the whole body may read nothing more of the connection, as squid 5 does.
    if outgoing.taken > 0 { easy?.forbidReuse() }
    return .proxy
  }
}
