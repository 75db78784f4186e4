import LupineCore
import LupineFraming

extension HTTP1Carrier {
  private var isPaused: Bool { exchange.incoming.isPaused }

  /// Receives until the socket is empty, the sink has no room, or the turn is used up.
  func receive() {
    guard passHeld() else { return }
    while isActive, !isPaused, connection.mayReceive {
      if turn.isUsedUp { return yield() }
      let buffer = loop.buffers.incoming
      switch connection.receive(into: buffer, &turn) {
      case .bytes(let count):
        turn.count(count)
        exchange.recordFirstByte()
        process(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .overhead: continue
      // After a failed send only what had arrived before is received.
      case .wouldBlock where output.hasFailed: connectionEnded(inOrder: false)
      case .wouldBlock: return
      case .end: connectionEnded(inOrder: !output.hasFailed)
      case .failure: connectionEnded(inOrder: mayLackCloseNotify && hasTolerableEnd)
      }
    }
  }

  /// Whether the session may tolerate the end of the connection: only it ends the body, and the server has closed TLS
  /// without close_notify after a whole record.
  private var hasTolerableEnd: Bool {
    !output.hasFailed && reader.endsWithConnection && connection.hasEndedBetweenRecords
      && exchange.request.url.scheme == .https && exchange.route.proxy?.kind != .https
  }

  /// Processes received bytes, up to content for which the sink has no room, or the end of the turn's share.
  private func process(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    do throws(LupineError) {
      while isActive {
        if turn.isUsedUp, position < bytes.count {
          held = Array(bytes[position...])
          return yield()
        }
        let start = position
        // Without an event, the bytes are a part of a head, of the trailers or of the header of a chunk.
        guard let event = try reader.next(in: bytes, from: &position) else {
          return turn.countFields(bytes.count - start)
        }
        turn.countMessage()
        switch event {
        case .interim(let head):
          turn.countFields(position - start)
          exchange.receive(interim: head)
        case .head(let head, let framing):
          turn.countFields(position - start)
          mayLackCloseNotify = framing == .untilClose && exchange.context.mayLackCloseNotify(after: head.response)
          exchange.receive(head)
        case .content(let range) where isPaused:
          held = Array(bytes[range.lowerBound...])
          heldContentCount = range.count
          return
        case .content(let range): try exchange.pass(UnsafeRawBufferPointer(rebasing: bytes[range]))
        case .end(let trailers):
          turn.countFields(position - start)
          return exchange.responseIsComplete(ResponseEnd(trailers: trailers, hasSurplus: position < bytes.count))
        }
      }
    } catch {
      exchange.fail(error)
    }
  }

  private func connectionEnded(inOrder: Bool) {
    guard inOrder else { return exchange.connectionFailed(loss) }
    do throws(LupineError) {
      guard case .end(let trailers) = try reader.connectionEnded() else { return exchange.connectionFailed(Self.lost) }
      exchange.finish(ResponseEnd(trailers: trailers))
    } catch {
      exchange.fail(error)
    }
  }

  /// The error of a lost connection, with the tolerance that would accept its end.
  private var loss: LupineError {
    guard let failure = connection.failure else { return Self.lost }
    let tolerance = ResponseTolerances.missingCloseNotify
    guard hasTolerableEnd, !exchange.context.tolerances.contains(tolerance) else { return failure }
    return failure.appending(tolerance.advice)
  }

  private static let lost = LupineError(.connectionLost, "The connection ended before the response did.")

  func resumeReceiving() { receive() }

  /// Processes the bytes that have waited for room or for another turn; returns false if some still wait.
  private func passHeld() -> Bool {
    guard !held.isEmpty else { return true }
    guard isActive, !isPaused else { return false }
    let (bytes, count) = (held, heldContentCount)
    held = []
    heldContentCount = 0
    bytes.withUnsafeBytes { bytes in
      do throws(LupineError) {
        if count > 0 { try exchange.pass(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
        process(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      } catch {
        exchange.fail(error)
      }
    }
    return held.isEmpty
  }
}
