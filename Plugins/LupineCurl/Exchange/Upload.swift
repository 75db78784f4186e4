import HTTPTypes
import LupineCore

/// The body of a request on its way to libcurl, which reads it at its own pace.
struct Upload {
  /// The reader of the body; `nil` if the request has none.
  var reader: (any BodyReader)?
  /// The number of bytes still to be sent; nil if the length is not known.
  private var remaining: Int64?
  /// The number of bytes that libcurl has read.
  private(set) var byteCount: Int64 = 0
  /// Whether libcurl has read the whole body.
  private(set) var isComplete = false
  /// Whether libcurl waits for bytes.
  private(set) var isPaused = false
  /// Whether the rest is not sent, because the server has already responded.
  var isAbandoned = false

  init(_ reader: (any BodyReader)?) { self.reader = reader }

  /// Whether there are no bytes to send.
  var isEmpty: Bool { reader == nil || remaining == 0 }

  /// Begins the body; returns the shape of the request.
  ///
  /// - Throws: kind `invalidRequest` if the HTTP version has no framing for the body.
  mutating func begin(_ method: HTTPRequest.Method, _ version: ProtocolVersion) throws(LupineError) -> RequestShape {
    guard let reader else {
      if method == .head { return .head }
      return method.statesEmptyLength ? .body(length: 0) : .noBody
    }
    remaining = reader.length
    guard remaining != nil || version != .http1_0 else {
      throw LupineError(
        .invalidRequest, "HTTP/1.0 has no chunked encoding; give the body a length, or leave the version open.")
    }
    return .body(length: remaining ?? -1)
  }

  /// Fills libcurl's buffer with the next bytes.
  ///
  /// - Returns: the number of bytes, 0 at the end; `nil` if libcurl must pause.
  /// - Throws: the error of the body, or kind `bodyFailed` if its length is not the stated one. A body that exceeds it
  ///   fails before its last bytes are sent.
  mutating func read(into space: UnsafeMutableRawBufferPointer) throws(LupineError) -> Int? {
    guard let reader else { return 0 }
    if isAbandoned {
      isPaused = true
      return nil
    }
    let room = remaining.map { Int(min($0, Int64(space.count))) } ?? space.count
    guard room > 0 else { return 0 }
    switch try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: space[..<room])) {
    case .bytes(let count):
      try add(count, from: reader)
      return count
    case .pending:
      isPaused = true
      return nil
    case .end:
      if let remaining {
        throw LupineError(.bodyFailed, "The request's body ended \(remaining) bytes before its stated length.")
      }
      isComplete = true
      return 0
    }
  }

  private mutating func add(_ count: Int, from reader: any BodyReader) throws(LupineError) {
    byteCount += Int64(count)
    guard let remaining else { return }
    self.remaining = remaining - Int64(count)
    guard self.remaining == 0 else { return }
    isComplete = true
    var byte: UInt8 = 0
    let next = try withUnsafeMutableBytes(of: &byte) { (space) throws(LupineError) in try reader.read(into: space) }
    guard case .bytes = next else { return }
    throw LupineError(.bodyFailed, "The request's body exceeds its stated length.")
  }

  /// Continues after a pause; returns false if libcurl does not wait, or if the rest is not sent.
  mutating func resume() -> Bool {
    guard isPaused, !isAbandoned else { return false }
    isPaused = false
    return true
  }
}
