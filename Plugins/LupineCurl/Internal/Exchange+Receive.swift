import CLibcurl
import HTTPTypes
import LupineCore

extension Exchange {
  /// Takes a line of a head or of trailers; false ends the exchange.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    do throws(LupineError) {
      switch try incoming.head.take(line) {
      case nil: break
      case .informational(let head):
        if head.status.code == 100 { incoming.hasContinue = true }
        context.emit(.informational(head))
      case .final(let head, let framing): receive(head, framing)
      }
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }

  /// Takes a piece of the body; false ends the exchange.
  func receive(piece: UnsafeRawBufferPointer) -> Bool {
    guard let writer = incoming.writer, let easy else { return false }
    incoming.remaining = incoming.remaining.map { $0 - Int64(piece.count) }
    do throws(LupineError) {
      if try writer.write(piece) == .pause {
        incoming.isPaused = true
        curl_easy_pause(easy.pointer, pauses)
      }
    } catch {
      failure = failure ?? error
      return false
    }
    return true
  }

  /// The sink has room again.
  func resumeReceiving() {
    guard incoming.isPaused, let easy else { return }
    incoming.isPaused = false
    curl_easy_pause(easy.pointer, pauses)
  }

  /// The directions in which libcurl is to hold back.
  var pauses: Int32 {
    (incoming.isPaused ? CURLPAUSE_RECV : 0) | (outgoing.isPaused ? CURLPAUSE_SEND : 0)
  }

  private func receive(_ head: HTTPResponse, _ framing: Framing) {
    if incoming.head.line?.version == .http2 { loop.isMultiplexed(self) }
    let hasBody = request.method != .head && head.status.code != 204 && head.status.code != 304
    incoming.remaining = hasBody ? framing.contentLength : 0
    // A 204 has no body; a server that announces one may send it, and the next response would begin with it.
    if head.status.code == 204, framing.isChunked || framing.contentLength ?? 0 > 0 { easy?.forbidReuse() }
    let (body, writer) = context.makeBody(for: head) { [engine = loop.engine, id] in engine.post(.receive(id)) }
    incoming.writer = writer
    answer(.success(TransportResponse(head: head, body: body)))
  }
}
