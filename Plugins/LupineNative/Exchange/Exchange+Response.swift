import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFoundation
import LupineFraming

/// The response, for the carrier.
extension Exchange {
  func receive(interim head: HTTPResponse) {
    recordFirstByte()
    context.touch()
    context.emit(.informational(head))
    if head.status.code == 100 { stopWaitingForContinue() }
  }

  func receive(_ head: ReceivedHead) {
    recordFirstByte()
    incoming.version = head.statusLine.version
    // A final response in the place of 100: the server does not want the body.
    if outgoing.waitsForContinue { outgoing.abandon() }
    incoming.pendingHead = (head, source(of: head))
    scheduleSettle()
    // The consumer may hold the body back until the request is sent, or take it in small pieces.
    let sendsBody = !outgoing.isComplete && !outgoing.isAbandoned
    if context.hasSink || sendsBody { beginBody() }
  }

  /// Makes the body of a head that has arrived, and writes the content that has arrived with it.
  func beginBody() {
    guard let (head, source) = incoming.pendingHead.take() else { return }
    let (body, writer) = context.makeBody(for: head.response, from: source) { [ticket = submission.ticket] in
      ticket.post(.hasRoom)
    }
    incoming.writer = writer
    setResponse(head.response, code: head.statusLine.code, body, from: source)
    guard !incoming.earlyContent.isEmpty else { return }
    let content = incoming.earlyContent
    incoming.earlyContent = Data()
    do throws(LupineError) {
      if try writer.write(content) == .pause { incoming.isPaused = true }
    } catch {
      fail(error)
    }
  }

  /// Makes the body of a response that is complete in the turn of its head; returns false if the body has begun.
  func finishWithHead(_ end: ResponseEnd, _ metrics: TransferMetrics) -> Bool {
    guard let (head, source) = incoming.pendingHead.take() else { return false }
    let body = context.makeBody(
      for: head.response, from: source, content: incoming.earlyContent, trailers: end.trailers, metrics: metrics)
    setResponse(head.response, code: head.statusLine.code, body, from: source)
    return true
  }

  func recordFirstByte() {
    if times.firstByte == nil { times.firstByte = loop.now }
  }

  /// Passes content to the sink; `incoming.isPaused` says whether it has room for more.
  func pass(_ content: UnsafeRawBufferPointer) throws(LupineError) {
    // The count includes a piece that fails, for example because of a limit or a full disk.
    incoming.byteCount += Int64(content.count)
    if incoming.pendingHead != nil {
      incoming.earlyContent.append(contentsOf: content)
      if incoming.earlyContent.count >= Incoming.maximumEarlySize { beginBody() }
      return
    }
    guard let writer = incoming.writer else { return }
    incoming.hasUndeliveredBytes = true
    scheduleSettle()
    if try writer.write(content, hasMore: true) == .pause { incoming.isPaused = true }
  }

  /// Ends the exchange after its complete response.
  ///
  /// While the consumer holds the response back, the rest of the request is sent: the consumer may wait for its end.
  func responseIsComplete(_ end: ResponseEnd) {
    guard incoming.isPaused, !outgoing.isComplete, !outgoing.isAbandoned else { return finish(end) }
    incoming.end = end
  }

  /// Ends the exchange after the loss of its connection or stream.
  ///
  /// A complete response that the consumer holds back is no failure: only the rest of the request is not sent.
  func connectionFailed(_ error: LupineError) {
    guard var end = incoming.end.take() else { return fail(error) }
    end.hasSurplus = true
    finish(end)
  }

  /// Continues to receive, because the sink has room again.
  func resumeReceiving() {
    guard phase == .active, incoming.isPaused else { return }
    incoming.isPaused = false
    if let end = incoming.end.take() { return finish(end) }
    carrier?.resumeReceiving()
  }

  /// The sender of a response: only a proxy that forwards the request sends 407.
  private func source(of head: ReceivedHead) -> TransportResponse.Source {
    guard route.isForwarded, head.statusLine.code == 407 else { return .origin }
    // A proxy that sends a challenge before it has read the whole body may stop reading from the connection, as squid 5
    // does.
    if outgoing.byteCount > 0 { mustClose = true }
    return .proxy
  }

  /// Delivers a proxy's refusal of a tunnel as the response.
  func finish(refused response: HTTPResponse) {
    let (body, writer) = context.makeBody(for: response, from: .proxy) {}
    incoming.writer = writer
    setResponse(response, code: response.status.code, body, from: .proxy)
    finish(ResponseEnd(trailers: nil, hasSurplus: false))
  }
}
