import LupineCore

extension HTTP1Carrier {
  /// Whether nothing is to be sent before something changes.
  private var isIdle: Bool {
    let request = exchange.outgoing
    return request.isComplete || request.isAbandoned || (output.isEmpty && request.waitsForContinue)
  }

  /// Sends the head of the request, with the first piece of its body if that may follow at once.
  func beginSending() {
    let framing = RequestFraming(exchange.request.method, exchange.outgoing.reader)
    exchange.outgoing.begin(length: framing.length)
    let expectsContinue = exchange.outgoing.hasContent && exchange.expectsContinue
    let head = RequestHead(
      exchange.request, framing, expectsContinue: expectsContinue, forwarding: exchange.forwarding,
      reusing: &exchange.route.requestLines)
    if expectsContinue { exchange.waitForContinue() }
    transmit(head.bytes)
    receiveAfterFailedSend()
  }

  private func transmit(_ head: [UInt8]) {
    let buffer = loop.buffers.outgoing
    let request = exchange.outgoing
    // A head may be larger than the buffer.
    guard !request.isRead, !request.waitsForContinue, head.count <= buffer.count / 2 else {
      head.withUnsafeBytes { send($0, content: 0) }
      return continueSending()
    }
    buffer.copyBytes(from: head)
    do throws(LupineError) {
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...])
      guard let piece = try HTTP1Output.composePiece(of: &exchange.outgoing, in: space) else {
        return head.withUnsafeBytes { send($0, content: 0) }
      }
      // The size of a chunk may leave a gap behind the head.
      let start = piece.range.lowerBound
      if start > 0 { buffer.moveHead(of: head.count, by: start) }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<(head.count + piece.range.upperBound)])
      send(bytes, content: piece.content)
      continueSending()
    } catch {
      exchange.fail(error)
    }
  }

  /// Sends what can be sent now.
  func send() {
    guard isActive, !isIdle else { return }
    if flush() { continueSending() }
    receiveAfterFailedSend()
  }

  /// Sends pieces of the body until the system takes no more, the reader has none, or the turn is used up.
  private func continueSending() {
    do throws(LupineError) {
      while isActive, !isIdle, flush() {
        if turn.isUsedUp { return yield() }
        let buffer = loop.buffers.outgoing
        guard let piece = try HTTP1Output.composePiece(of: &exchange.outgoing, in: buffer) else { return }
        turn.count(piece.range.count)
        send(UnsafeRawBufferPointer(rebasing: buffer[piece.range]), content: piece.content)
      }
    } catch {
      exchange.fail(error)
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer, content: Int) {
    if output.send(bytes, content: content, of: &exchange.outgoing, on: connection) { pieceIsSent() }
  }

  /// Sends the bytes that the system has not taken; returns false if some are left.
  private func flush() -> Bool {
    if output.isEmpty { return true }
    guard output.flush(&exchange.outgoing, on: connection) else { return false }
    pieceIsSent()
    return true
  }

  private func pieceIsSent() {
    if exchange.outgoing.isComplete { exchange.requestIsSent() }
  }

  /// Receives after the system has refused to send: the response may have arrived before the connection broke.
  private func receiveAfterFailedSend() {
    guard isActive, output.hasFailed else { return }
    connection.mayReceive = true
    receive()
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Moves the first `count` bytes towards the end.
  fileprivate func moveHead(of count: Int, by distance: Int) {
    UnsafeMutableRawBufferPointer(rebasing: self[distance...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: self[..<count]))
  }
}
