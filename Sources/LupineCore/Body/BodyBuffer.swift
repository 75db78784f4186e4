import DequeModule
import LupineFoundation
import LupineSupport

/// The bytes of a body in memory: counts them, enforces the limit, and stores them for the consumer.
struct BodyBuffer {
  /// The number of bytes at which the transport pauses while the destination is not known.
  private static let undecidedWindow = 256 << 10

  private(set) var byteCount: Int64 = 0
  /// `nil` until the destination is known; the bytes are collected until then.
  private var destination: BodySink.Destination?
  private var collected = Data()
  /// The pieces of a streamed body.
  ///
  /// Stored indirectly: other bodies have none.
  private var pieces: CopyOnWrite<Pieces>?
  private var isAbandoned = false

  /// Sets the destination of the bytes, including those that have arrived.
  mutating func open(_ destination: BodySink.Destination) {
    self.destination = destination
    switch destination {
    case .collect(let limit): if byteCount > limit { collected = collected.prefix(Int(clamping: max(0, limit))) }
    case .discard: collected = Data()
    case .stream:
      var pieces = Pieces()
      if !collected.isEmpty { takeCollected().withUnsafeBytes { pieces.append($0) } }
      self.pieces = CopyOnWrite(pieces)
    case .file: break
    }
  }

  /// Takes the bytes of a complete body without a copy, before anything else.
  mutating func fill(with data: Data) {
    byteCount = Int64(data.count)
    // A consumer expects indices from 0.
    collected = data.startIndex == 0 ? data : Data(data)
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

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
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

  /// Returns the first bytes that a `collect` sink has collected, also if the body exceeds its limit.
  func gathered(limit: Int64) -> Data { collected.prefix(Int(clamping: limit)) }

  /// Takes the bytes of a `collect` sink.
  mutating func takeCollected() -> Data { exchange(&collected, with: Data()) }

  /// Takes the next piece of a streamed body; the consumer has finished with the last one.
  mutating func takePiece() -> [UInt8]? { pieces?.value.take() }

  /// Drops the waiting bytes and all later ones.
  mutating func abandon() {
    isAbandoned = true
    pieces?.value.abandon()
  }

  /// Releases the spare memory; later pieces allocate their own.
  mutating func close() { pieces?.value.close() }
}

/// The pieces of a streamed body that wait for its consumer.
private struct Pieces: Sendable {
  /// Bytes that wait to be taken.
  private(set) var count = 0
  private var waiting: Deque<[UInt8]> = []
  private var spares = SparePieces()
  private static let pieceSize = 256 << 10
  private static let largePiece = 8 << 10

  /// Joins bytes that arrive before the consumer takes them, so that it gets few large pieces.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    let last = waiting.count - 1
    if last >= 0, waiting[last].count + bytes.count <= Self.pieceSize {
      makeRoom(for: bytes.count)
    } else {
      waiting.append(emptyPiece(for: bytes.count))
    }
    waiting[waiting.count - 1].append(contentsOf: bytes)
  }

  /// Moves the last piece to a full-size buffer when it becomes a large one.
  private mutating func makeRoom(for more: Int) {
    let small = waiting[waiting.count - 1]
    let count = small.count + more
    guard count > small.capacity, count >= Self.largePiece else { return }
    var large = emptyPiece(for: count)
    large.append(contentsOf: small)
    waiting[waiting.count - 1] = large
  }

  /// Returns a buffer.
  ///
  /// A large piece gets room for more bytes; a small one, such as an event or a line, gets none.
  private mutating func emptyPiece(for count: Int) -> [UInt8] {
    let isLarge = count >= Self.largePiece
    var piece = (isLarge ? spares.take() : nil) ?? []
    piece.reserveCapacity(isLarge ? max(count, Self.pieceSize) : count)
    return piece
  }

  mutating func take() -> [UInt8]? {
    // The consumer has finished with the last piece.
    spares.reclaim()
    guard let piece = waiting.popFirst() else { return nil }
    count -= piece.count
    if (Self.pieceSize..<2 * Self.pieceSize).contains(piece.capacity) { spares.keep(piece) }
    return piece
  }

  /// Drops the waiting pieces.
  mutating func abandon() {
    waiting = []
    count = 0
    spares.close()
  }

  /// Releases the spare memory; later pieces allocate their own.
  mutating func close() { spares.close() }
}

/// The memory of pieces that the consumer has finished with, for later pieces.
///
/// A new allocation costs a page fault for each page. If the consumer keeps a piece, its array is shared, so
/// copy-on-write prevents the reuse of its memory.
struct SparePieces {
  /// The piece that was delivered last.
  ///
  /// The consumer uses it until it asks for the next one.
  private var current: [UInt8] = []
  private var free: [[UInt8]] = []
  private var isClosed = false
  private static let most = 2

  /// Returns an empty piece with room, if there is one.
  mutating func take() -> [UInt8]? {
    guard var piece = free.popLast() else { return nil }
    // Allocates a new buffer if the consumer has kept the old one.
    piece.removeAll(keepingCapacity: true)
    return piece
  }

  /// Frees the last piece for reuse, because the consumer asks for the next one.
  mutating func reclaim() {
    guard current.capacity > 0 else { return }
    if free.count < Self.most { free.append(current) }
    current = []
  }

  /// Keeps a reference to a large piece that is delivered.
  mutating func keep(_ piece: [UInt8]) {
    if !isClosed { current = piece }
  }

  /// Releases all memory: no piece follows.
  mutating func close() {
    isClosed = true
    current = []
    free = []
  }
}
