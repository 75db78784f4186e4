public import HTTPTypes
public import LupineCore
import LupineSupport

/// Reads one response of HTTP/1.1 or HTTP/1.0 from the bytes of a connection (RFC 9112).
///
/// The reader works on bytes and has no connection and no clock. The caller passes each piece as it arrives. The events
/// do not depend on how the response is split into pieces. The reader rejects everything that the RFC's grammar does
/// not allow, because another program may read it differently. It copies no content: an event refers to bytes of the
/// piece. A head that equals the last one of its `HeadCache` is compared as a whole, and needs no allocation.
///
/// ```swift
/// var reader = ResponseReader(to: .get, Limits(), HeadCache())
/// var content: [UInt8] = []
/// for piece in ["HTTP/1.1 200 OK\r\nContent-", "Length: 5\r\n\r\nhe", "llo"].map({ Array($0.utf8) }) {
///   var position = 0
///   try piece.withUnsafeBytes { bytes in
///     while let event = try reader.next(in: bytes, from: &position) {
///       switch event {
///       case .interim(let head): print("Interim response: \(head.status)")
///       case .head(let head, let framing): print("Response: \(head.response.status), \(framing)")
///       case .content(let range): content += bytes[range]
///       case .end(let trailers): print("\(content.count) bytes, \(trailers?.count ?? 0) trailers")
///       }
///     }
///   }
///   if position < piece.count { print("Bytes follow the response; its connection must be closed.") }
/// }
/// ```
///
/// The reader does not see the connection, so the caller does the following:
///
/// - It calls `connectionEnded()` if the connection ends before `isFinished`. With TLS, an end without close_notify is
///   an error for `ResponseFraming.untilClose` (RFC 9112 section 9.8).
/// - It keeps the connection only if `keepsConnection` is true, no byte follows the end, the whole request has been
///   sent, and the request did not ask for `Connection: close`.
/// - It closes the connection after an error.
/// - It validates the trailers (RFC 9110 section 6.5). They are no fields of the head.
public struct ResponseReader {
  /// An event of a response, in the order of the bytes.
  public enum Event: Sendable {
    /// A complete interim response (1xx).
    case interim(HTTPResponse)
    /// The complete final head, and the rule by which the end of the body is found.
    case head(ReceivedHead, ResponseFraming)
    /// A range of content bytes in the piece, without chunk framing.
    case content(Range<Int>)
    /// The end of the response; later bytes are not part of it.
    case end(trailers: HTTPFields?)
  }

  private enum Part {
    case head
    /// In a body with this number of remaining bytes.
    case length(Int64)
    case chunks
    case untilClose
    case finished
    case failed(LupineError)
  }

  private let method: HTTPRequest.Method
  private var headReader: HeadReader
  private var chunks: ChunkReader
  private var part = Part.head
  private var isPersistent = false
  /// Whether only the end of the connection can end the body, whose head has been read.
  public var endsWithConnection: Bool { if case .untilClose = part { true } else { false } }
  /// The first bytes of a line of the head, until the rest of the line arrives.
  private var line: [UInt8] = []

  /// Creates a reader for the response to one request.
  ///
  /// - Parameters:
  ///   - method: the method of the request, on which the framing depends (RFC 9112 section 6.3).
  ///   - limits: the reader applies `responseFields` to each head, and `responseFieldCount`, `informationalResponses`,
  ///     `trailers` and `chunkExtensions`.
  ///   - cache: the heads and lines of earlier responses; responses that one thread reads can share it.
  ///   - tolerances: the violations that the reader accepts, without `missingCloseNotify`, which concerns the caller.
  ///     Default: none.
  public init(
    to method: HTTPRequest.Method, _ limits: Limits, _ cache: HeadCache, tolerating tolerances: ResponseTolerances = []
  ) {
    self.method = method
    headReader = HeadReader(limits, cache, tolerating: tolerances)
    chunks = ChunkReader(limits, tolerating: tolerances)
  }

  /// The violations that the response so far needed.
  public var tolerated: ResponseTolerances { headReader.tolerated.union(chunks.tolerated) }

  /// The version of the last status line; nil before the first one.
  public var version: ProtocolVersion? { headReader.statusLine?.version }

  /// Whether the end of the response has been found.
  public var isFinished: Bool { if case .finished = part { true } else { false } }

  /// Whether the connection may carry another exchange after this response (RFC 9112 section 9.3).
  ///
  /// False before the end of the response. Also false for HTTP/1.0, for the connection option `close`, for a body that
  /// the end of the connection delimits, for a 204 that declares content, for a tunnel, and for a response that needed a
  /// tolerance with `endsConnection`.
  public var keepsConnection: Bool { isFinished && isPersistent && !tolerated.endsConnection }

  /// Returns the next event of a piece and moves `position` past it; `nil` if another piece is necessary.
  ///
  /// After the end of the response it returns `nil`, and `position` does not change.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` or `limitExceeded`; each later call throws the same error.
  public mutating func next(
    in piece: UnsafeRawBufferPointer, from position: inout Int
  ) throws(LupineError) -> Event? {
    do throws(LupineError) {
      switch part {
      case .head: return try nextOfHead(in: piece, from: &position)
      case .length(let rest): return nextOfLength(rest, in: piece, from: &position)
      case .chunks: return try nextOfChunks(in: piece, from: &position)
      case .untilClose: return content(of: piece, upTo: piece.count, from: &position)
      case .finished: return nil
      case .failed(let error): throw error
      }
    } catch {
      part = .failed(error)
      throw error
    }
  }

  /// Processes the end of the connection; returns the end of the response if the end of the connection delimits it.
  ///
  /// After the end of the response it returns `nil`.
  ///
  /// - Throws: `LupineError` of kind `connectionLost` if the response is not complete (RFC 9112 section 8); after an
  ///   error, the same error.
  public mutating func connectionEnded() throws(LupineError) -> Event? {
    switch part {
    case .untilClose, .length(0): return end(nil)
    case .finished: return nil
    case .failed(let error): throw error
    case .head: throw lost("The head is not complete.")
    case .length(let rest): throw lost("\(rest) bytes of the body are missing.")
    case .chunks: throw lost("The last chunk of the body has not arrived.")
    }
  }

  private mutating func lost(_ reason: String) -> LupineError {
    let error = LupineError(.connectionLost, "The connection ended before the response did. \(reason)")
    part = .failed(error)
    return error
  }

  private mutating func end(_ trailers: HTTPFields?) -> Event {
    part = .finished
    return .end(trailers: trailers)
  }
}

/// The head.
extension ResponseReader {
  /// The bytes that each status line of HTTP/1 begins with.
  private static let version = Array("HTTP/1.".utf8)

  private mutating func nextOfHead(
    in piece: UnsafeRawBufferPointer, from position: inout Int
  ) throws(LupineError) -> Event? {
    if line.isEmpty, let (head, size) = headReader.takeCachedHead(UnsafeRawBufferPointer(rebasing: piece[position...]))
    {
      position += size
      return begin(head)
    }
    while position < piece.count {
      let start = position
      let lineFeed = piece.position(of: 0x0A, from: start)
      position = lineFeed.map { $0 + 1 } ?? piece.count
      let bytes = UnsafeRawBufferPointer(rebasing: piece[start..<position])
      if let head = try process(bytes, isComplete: lineFeed != nil) {
        switch head {
        case .interim(let response): return .interim(response)
        case .final(let head): return begin(head)
        }
      }
    }
    return nil
  }

  /// Processes a line, or the part of a line that has arrived.
  private mutating func process(
    _ bytes: UnsafeRawBufferPointer, isComplete: Bool
  ) throws(LupineError) -> HeadReader.Head? {
    if line.isEmpty, isComplete {
      try checkVersion(bytes)
      return try headReader.process(bytes)
    }
    line.append(contentsOf: bytes)
    let whole = line
    if isComplete { line = [] }
    return try whole.withUnsafeBufferPointer { (whole) throws(LupineError) in
      let whole = UnsafeRawBufferPointer(whole)
      try checkVersion(whole)
      if isComplete { return try headReader.process(whole) }
      try headReader.checkSize(with: whole.count)
      return nil
    }
  }

  /// Rejects a status line as soon as it is not one of HTTP/1, because the peer may never send a line feed.
  private func checkVersion(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    guard headReader.expectsStatusLine else { return }
    let count = min(line.count, Self.version.count)
    guard Self.version.contains(UnsafeRawBufferPointer(rebasing: line[..<count]), at: 0) else {
      throw MalformedResponse.statusLine.error
    }
  }

  private mutating func begin(_ head: ReceivedHead) -> Event {
    let framing = head.framing(to: method)
    let isTunnel = method == .connect && framing == .none && head.response.status.kind == .successful
    isPersistent = head.isPersistent && framing != .untilClose && !isTunnel
    part =
      switch framing {
      case .none: .length(0)
      case .length(let length): .length(length)
      case .chunked: .chunks
      case .untilClose: .untilClose
      }
    return .head(head, framing)
  }
}

/// The body.
extension ResponseReader {
  private mutating func nextOfLength(
    _ rest: Int64, in piece: UnsafeRawBufferPointer, from position: inout Int
  ) -> Event? {
    if rest == 0 { return end(nil) }
    let count = min(rest, Int64(piece.count - position))
    part = .length(rest - count)
    return content(of: piece, upTo: position + Int(count), from: &position)
  }

  private mutating func nextOfChunks(
    in piece: UnsafeRawBufferPointer, from position: inout Int
  ) throws(LupineError) -> Event? {
    while let element = try chunks.next(in: piece, from: &position) {
      switch element {
      case .content(let range): return .content(range)
      case .trailer(let line):
        _ = try line.withUnsafeBufferPointer { (line) throws(LupineError) in
          try headReader.process(UnsafeRawBufferPointer(line))
        }
      case .end: return end(headReader.trailers)
      }
    }
    return nil
  }

  private func content(of piece: UnsafeRawBufferPointer, upTo end: Int, from position: inout Int) -> Event? {
    guard position < end else { return nil }
    defer { position = end }
    return .content(position..<end)
  }
}
