import CLibcurl
import HTTPTypes
import LupineCore
import LupineEventLoop

extension Exchange {
  /// Whether the request has a body that is not open yet.
  var mustOpenBody: Bool { request.hasBody && outgoing.reader == nil }

  /// Opens the request's body in a task; the exchange then starts.
  ///
  /// A proxy may refuse the tunnel, so a body that can be read only once stays unopened until libcurl reads it.
  func openBody() { submission.openBody(mayStayUnread: isTunnelled) }

  /// The shape of the request.
  ///
  /// - Throws: kind `invalidRequest` if the HTTP version has no framing for the body.
  func shape() throws(LupineError) -> RequestShape {
    guard let reader = outgoing.reader else { return Self.shapeWithoutBody(submission.method) }
    let length = reader.length
    outgoing.remaining = length
    guard length != nil || submission.version != .http1_0 else {
      throw LupineError(
        .invalidRequest, "HTTP/1.0 has no chunked encoding; give the body a length, or leave the version open.")
    }
    return .body(length: length ?? -1)
  }

  /// The shape of a request without a body.
  ///
  /// POST, PUT and PATCH send `Content-Length: 0` (RFC 9110 section 8.6).
  private static func shapeWithoutBody(_ method: HTTPRequest.Method) -> RequestShape {
    switch method {
    case .get: .noBody
    case .head: .head
    case .post, .put, .patch: .body(length: 0)
    default: .noBody
    }
  }

  /// Fills libcurl's buffer with the next bytes of the body.
  func readBody(into space: UnsafeMutableRawBufferPointer) -> Int {
    guard let reader = outgoing.reader else { return 0 }
    if outgoing.isAbandoned {
      outgoing.isPaused = true
      return Int(CURL_READFUNC_PAUSE)
    }
    let room = outgoing.remaining.map { Int(min($0, Int64(space.count))) } ?? space.count
    guard room > 0 else { return 0 }
    do throws(LupineError) {
      switch try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: space[..<room])) {
      case .bytes(let count):
        return try countSent(count, from: reader)
      case .pending:
        outgoing.isPaused = true
        return Int(CURL_READFUNC_PAUSE)
      case .end:
        return try endBody(of: reader)
      }
    } catch {
      failure = failure ?? error
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// Continues to send, because the reader has bytes again.
  func resumeSending() {
    guard outgoing.isPaused, !outgoing.isAbandoned, let easy else { return }
    outgoing.isPaused = false
    resumeTransfer(on: easy)
  }

  /// Counts bytes of the body; a body that exceeds its stated length ends the exchange before its last bytes are sent.
  private func countSent(_ count: Int, from reader: any BodyReader) throws(LupineError) -> Int {
    outgoing.byteCount += Int64(count)
    outgoing.remaining = outgoing.remaining.map { $0 - Int64(count) }
    guard outgoing.remaining == 0 else { return count }
    clock.recordSent(at: MonotonicClock.now)
    var byte: UInt8 = 0
    let next = try withUnsafeMutableBytes(of: &byte) { (space) throws(LupineError) in try reader.read(into: space) }
    guard case .bytes = next else { return count }
    throw LupineError(.bodyFailed, "The request's body exceeds its stated length.")
  }

  private func endBody(of reader: any BodyReader) throws(LupineError) -> Int {
    guard let remaining = outgoing.remaining, remaining > 0 else {
      clock.recordSent(at: MonotonicClock.now)
      return 0
    }
    throw LupineError(.bodyFailed, "The request's body ended \(remaining) bytes before its stated length.")
  }
}
