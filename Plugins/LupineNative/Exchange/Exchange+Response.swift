import HTTPTypes
import LupineCore
import LupineEventLoop
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
    let source = source(of: head)
    let (body, writer) = context.makeBody(for: head.response, from: source) { [ticket = submission.ticket] in
      ticket.post(.hasRoom)
    }
    incoming.writer = writer
    setResponse(head.response, code: head.statusLine.code, body, from: source)
  }

  func recordFirstByte() {
    if times.firstByte == nil { times.firstByte = MonotonicClock.now }
  }

  /// Passes content to the sink; `incoming.isPaused` says whether it has room for more.
  func pass(_ content: UnsafeRawBufferPointer) throws(LupineError) {
    guard let writer = incoming.writer else { return }
    // The count includes a piece that fails, for example because of a limit or a full disk.
    incoming.byteCount += Int64(content.count)
    incoming.hasUndeliveredBytes = true
    scheduleSettle()
    if try writer.append(content) == .pause { incoming.isPaused = true }
  }

  /// Ends the exchange after its complete response.
  ///
  /// While the consumer holds the response back, the rest of the request is sent: the consumer may wait for its end.
  func end(_ end: ResponseEnd) {
    guard incoming.isPaused, !outgoing.isComplete, !outgoing.isAbandoned else { return finish(end) }
    incoming.end = end
  }

  /// Ends the exchange with its complete response, because the rest of the request can no longer be sent.
  ///
  /// No effect if the response is not complete.
  ///
  /// - Returns: whether the response is complete.
  func endWithoutRest() -> Bool {
    guard var end = incoming.end.take() else { return false }
    end.hasSurplus = true
    finish(end)
    return true
  }

  /// Continues to receive, because the sink has room again.
  func resumeReceiving() {
    guard phase == .active, incoming.isPaused else { return }
    incoming.isPaused = false
    if let end = incoming.end.take() { return finish(end) }
    carrier?.resumeReceiving()
  }
}
