import LupineCore

/// The composed bytes of a request that the system has not taken.
struct HTTP1Output {
  /// Whether the system has refused to send.
  private(set) var hasFailed = false
  private var unsent: ArraySlice<UInt8> = []
  /// The number of bytes of content among those that were composed last.
  private var contentCount = 0

  /// Whether the system has taken everything.
  var isEmpty: Bool { unsent.isEmpty }

  /// Sends bytes that have been composed; returns false if the system takes no more for now.
  mutating func send(
    _ bytes: UnsafeRawBufferPointer, content: Int, of request: inout Outgoing, on connection: Connection
  ) -> Bool {
    contentCount = content
    let sent = take(connection.send(bytes), &request)
    if sent < bytes.count, !hasFailed { unsent = ArraySlice(bytes[sent...]) }
    return finishPiece(&request)
  }

  /// Sends the bytes that the system has not taken; returns false if some are left.
  mutating func flush(_ request: inout Outgoing, on connection: Connection) -> Bool {
    guard !unsent.isEmpty else { return true }
    let result = unsent.withUnsafeBytes { connection.send($0) }
    unsent = unsent.dropFirst(take(result, &request))
    return finishPiece(&request)
  }

  /// Returns the number of bytes that the system has taken; a failure abandons the request.
  private mutating func take(_ result: SocketResult, _ request: inout Outgoing) -> Int {
    switch result {
    case .bytes(let count):
      request.recordSent()
      return count
    case .wouldBlock, .overhead, .end: return 0
    case .failure:
      hasFailed = true
      unsent = []
      request.abandon()
      return 0
    }
  }

  private mutating func finishPiece(_ request: inout Outgoing) -> Bool {
    guard unsent.isEmpty, !request.isAbandoned else { return false }
    request.recordSent(content: contentCount)
    contentCount = 0
    if request.isRead { request.complete() }
    return true
  }
}

/// The pieces of a request's content.
extension HTTP1Output {
  /// A piece of the body, as it is sent.
  struct Piece {
    /// The bytes in the space.
    let range: Range<Int>
    /// The number of bytes of content among them.
    let content: Int
  }

  /// The bytes before a chunk's content: 8 digits and a line end.
  private static let chunkHead = 10

  /// Composes the next piece of the body in the space, which has at least 1 KiB; `nil` if the reader has none yet.
  static func composePiece(
    of request: inout Outgoing, in space: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> Piece? {
    guard request.reader != nil else { return nil }
    guard request.remaining != nil else { return try composeChunk(of: &request, in: space) }
    guard case .bytes(let count) = try request.read(into: space) else { return nil }
    return Piece(range: 0..<count, content: count)
  }

  /// Composes a chunk (RFC 9112 section 7.1): its size, its content, and the line ends.
  private static func composeChunk(
    of request: inout Outgoing, in space: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> Piece? {
    let content = UnsafeMutableRawBufferPointer(rebasing: space[chunkHead..<(space.count - 2)])
    switch try request.read(into: content) {
    case .pending: return nil
    case .end:
      space.copyBytes(from: "0\r\n\r\n".utf8)
      return Piece(range: 0..<5, content: 0)
    case .bytes(let count):
      let head = Array("\(String(count, radix: 16))\r\n".utf8)
      let start = chunkHead - head.count
      UnsafeMutableRawBufferPointer(rebasing: space[start...]).copyBytes(from: head)
      let end = chunkHead + count
      space[end] = 0x0D
      space[end + 1] = 0x0A
      return Piece(range: start..<(end + 2), content: count)
    }
  }
}
