import CNghttp2
import LupineCore
import LupineFraming

/// The heads and trailers, which the session passes to the reader of HTTP/1.1 as lines.
extension HTTP2Session {
  private static let version = Array("HTTP/2 ".utf8)
  private static let separator = Array(": ".utf8)
  private static let lineEnd = Array("\r\n".utf8)

  /// Reads a field; returns false if the response is refused, and its stream is to be reset.
  func receivedField(of id: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard let stream = stream(id), stream.user != nil else { return true }
    receivedFieldBytes += name.count + value.count
    line.removeAll(keepingCapacity: true)
    let isPseudo = name.first == UInt8(ascii: ":")
    if isPseudo { stream.hasStatus = true }
    guard stream.hasStatus || stream.part != .head else {
      let user = stream.user.take()
      user?.streamClosed(HTTP2Failure.streamViolation("its :status is missing"))
      return false
    }
    if isPseudo {
      // nghttp2 has checked that `:status` is the only pseudo-header field.
      line += Self.version
    } else {
      line += name
      line += Self.separator
    }
    line += value
    line += Self.lineEnd
    if case .refused = process(stream) { return false }
    return true
  }

  /// Reads the end of a field section.
  func receivedFields(of id: Int32, bytes: Int, ends: Bool) {
    guard let stream = stream(id), let user = stream.user else { return }
    meter.returnFields(bytes: bytes)
    line.removeAll(keepingCapacity: true)
    line += Self.lineEnd
    stream.hasStatus = false
    switch process(stream) {
    case .head(.interim(let head)): user.streamReceived(interim: head)
    case .head(.final(let head)):
      stream.part = .content
      user.streamReceived(head: head)
    case .line: break
    case .refused: return
    }
    if ends { receivedEnd(of: id) }
  }

  /// Processes END_STREAM.
  func receivedEnd(of id: Int32) {
    guard let stream = stream(id), stream.part == .content else { return }
    stream.part = .ended
    stream.user?.streamEnded(trailers: stream.reader.trailers)
  }

  private enum Processed { case line, head(HeadReader.Head), refused }

  /// Passes the current line to the reader; an error ends the stream for its user, who releases it.
  private func process(_ stream: HTTP2Stream) -> Processed {
    do throws(LupineError) {
      let head = try line.withUnsafeBufferPointer { (bytes) throws(LupineError) in
        try stream.reader.process(UnsafeRawBufferPointer(bytes))
      }
      return head.map { .head($0) } ?? .line
    } catch {
      let user = stream.user.take()
      user?.streamClosed(error)
      return .refused
    }
  }
}
