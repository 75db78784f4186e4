import LupineFoundation
import LupineSupport

/// The bytes of a body in memory: counts them, enforces the limit, and stores them.
struct BodyTarget {
  /// The number of bytes at which the transport pauses while the destination is not known.
  private static let undecidedWindow = 256 << 10

  private(set) var byteCount: Int64 = 0
  /// `nil` until the destination is known; the bytes are collected until then.
  private var destination: BodySink.Destination?
  private var collected = Data()
  /// The pieces of a streamed body.
  ///
  /// Stored indirectly: other bodies have none.
  private var pieces: CopyOnWrite<WaitingPieces>?
  private var isAbandoned = false

  /// Sets the destination of the bytes, including those that have arrived.
  mutating func become(_ destination: BodySink.Destination) {
    self.destination = destination
    switch destination {
    case .collect(let limit): if byteCount > limit { collected = collected.prefix(Int(clamping: max(0, limit))) }
    case .discard: collected = Data()
    case .stream:
      var pieces = WaitingPieces()
      if !collected.isEmpty { takeCollected().withUnsafeBytes { pieces.append($0) } }
      self.pieces = CopyOnWrite(pieces)
    case .file: break
    }
  }

  /// Removes and returns the bytes that have arrived, because stages or a file take them first.
  mutating func takeEarly() -> Data {
    byteCount = 0
    return takeCollected()
  }

  /// Whether a consumer takes the bytes as they arrive.
  var isStreamed: Bool { pieces != nil }

  /// Whether no bytes wait for the consumer.
  var isDrained: Bool { waiting == 0 }

  private var waiting: Int { pieces?.value.count ?? 0 }

  /// Whether the consumer must catch up before more bytes come.
  var isFull: Bool {
    switch destination {
    case .stream(let window): waiting >= window
    case nil: byteCount >= Int64(Self.undecidedWindow)
    default: false
    }
  }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    guard !bytes.isEmpty, !isAbandoned else { return }
    byteCount += Int64(bytes.count)
    switch destination {
    case .discard, .file: break
    case .collect(let limit):
      let room = Int(clamping: max(0, limit - Int64(collected.count)))
      collected.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
    case .stream: pieces?.value.append(bytes)
    case nil: collected.append(contentsOf: bytes)
    }
    try checkLimit()
  }

  /// Takes data without a copy if it is the first of a collected body; returns false if the bytes must be copied.
  mutating func keep(_ data: Data) throws(LupineError) -> Bool {
    guard collected.isEmpty, data.startIndex == 0, !isAbandoned else { return false }
    switch destination {
    case .collect(let limit):
      collected = Int64(data.count) <= limit ? data : data.prefix(Int(clamping: max(0, limit)))
    case nil: collected = data
    default: return false
    }
    byteCount += Int64(data.count)
    try checkLimit()
    return true
  }

  /// Throws if there are more bytes than the destination allows.
  func checkLimit() throws(LupineError) {
    switch destination {
    case .discard(let limit): if byteCount > limit { throw LupineError.exceeds(limit, .discardedBody) }
    case .collect(let limit): if byteCount > limit { throw LupineError.exceeds(limit, .responseBody) }
    default: break
    }
  }

  /// Sets the number of bytes that were written to a file.
  mutating func count(_ bytes: Int64) { byteCount = bytes }

  /// Drops the waiting bytes and all later ones.
  mutating func abandon() {
    isAbandoned = true
    pieces?.value.drop()
  }

  /// Records that no more bytes come.
  mutating func close() { pieces?.value.close() }

  mutating func takeCollected() -> Data { exchange(&collected, with: Data()) }

  /// Returns the first bytes that a `collect` sink has collected, also if the body exceeds its limit.
  func gathered(limit: Int64) -> Data { collected.prefix(Int(clamping: limit)) }

  /// Records that the consumer asks for more.
  mutating func reclaim() { pieces?.value.reclaim() }

  mutating func takePiece() -> [UInt8]? { pieces?.value.take() }
}
