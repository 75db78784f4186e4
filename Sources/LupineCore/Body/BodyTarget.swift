import FoundationEssentials
import Glibc
import LupineSupport

/// The destination of a sink: counts the bytes, enforces the limit, and stores the bytes.
struct BodyTarget {
  private(set) var byteCount: Int64 = 0
  private let destination: BodySink.Destination
  private var collected = Data()
  /// The pieces of a streamed body.
  ///
  /// Stored indirectly: other bodies have none.
  private var pieces: CopyOnWrite<WaitingPieces>?
  private var isAbandoned = false

  init(_ destination: BodySink.Destination) {
    self.destination = destination
    pieces = if case .stream = destination { CopyOnWrite(WaitingPieces()) } else { nil }
  }

  /// Whether a consumer takes the bytes as they arrive.
  var isStreamed: Bool { pieces != nil }

  /// Whether no bytes wait for the consumer.
  var isDrained: Bool { waiting == 0 }

  private var waiting: Int { pieces?.value.count ?? 0 }

  /// Whether the consumer must catch up before more bytes come.
  var isFull: Bool {
    if case .stream(let window) = destination { waiting >= window } else { false }
  }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    guard !bytes.isEmpty, !isAbandoned else { return }
    byteCount += Int64(bytes.count)
    switch destination {
    case .discard(let limit): try keep(to: limit, .discardedBody)
    case .collect(let limit):
      let room = Int(clamping: max(0, limit - Int64(collected.count)))
      collected.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
      try keep(to: limit, .responseBody)
    case .stream: pieces?.value.append(bytes)
    case .file(let descriptor, let offset, let limit):
      if let limit { try keep(to: limit, .sink) }
      try Self.write(bytes, to: descriptor, at: offset + byteCount - Int64(bytes.count))
    }
  }

  /// Drops the waiting bytes and all later ones.
  mutating func abandon() {
    isAbandoned = true
    pieces?.value.drop()
  }

  /// Records that no more bytes come.
  mutating func close() { pieces?.value.close() }

  /// Takes data without a copy if it is the first of a collected body; returns false if the bytes must be copied.
  mutating func keep(_ data: Data) throws(LupineError) -> Bool {
    guard case .collect(let limit) = destination, collected.isEmpty, data.startIndex == 0, !isAbandoned else {
      return false
    }
    byteCount += Int64(data.count)
    collected = Int64(data.count) <= limit ? data : data.prefix(Int(clamping: max(0, limit)))
    try keep(to: limit, .responseBody)
    return true
  }

  mutating func takeCollected() -> Data { exchange(&collected, with: Data()) }

  /// Returns the first bytes that a `collect` sink has collected, also if the body exceeds its limit.
  func gathered(limit: Int64) -> Data { collected.prefix(Int(clamping: limit)) }

  /// Records that the consumer asks for more.
  mutating func reclaim() { pieces?.value.reclaim() }

  mutating func takePiece() -> [UInt8]? { pieces?.value.take() }

  private func keep(to limit: Int64, _ name: Limits.Name) throws(LupineError) {
    guard byteCount > limit else { return }
    throw LupineError(
      .limitExceeded(name),
      "The response's body is larger than \(limit) bytes, the limit \(name.rawValue); raise it on the builder if such bodies are expected."
    )
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) throws(LupineError)
  {
    guard let error = bytes.write(to: descriptor, at: offset) else { return }
    throw LupineError.file(
      FileFailure.path(of: descriptor), code: error,
      message: "The response's file cannot be written: \(String(cString: strerror(error))).")
  }
}

/// The pieces of a streamed body that wait for its consumer.
struct WaitingPieces {
  /// Bytes that wait to be taken.
  private(set) var count = 0
  private var pieces: [[UInt8]] = []
  private var first = 0
  private var spares = SparePieces()
  private static let pieceSize = 256 << 10
  private static let largePiece = 8 << 10

  /// Joins bytes that arrive before the consumer takes them, so that it gets few large pieces.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    let last = pieces.count - 1
    if first <= last, pieces[last].count + bytes.count <= Self.pieceSize {
      makeRoom(for: bytes.count)
    } else {
      pieces.append(emptyPiece(for: bytes.count))
    }
    pieces[pieces.count - 1].append(contentsOf: bytes)
  }

  /// Moves the last piece to a full-size buffer when it becomes a large one.
  private mutating func makeRoom(for more: Int) {
    let small = pieces[pieces.count - 1]
    let count = small.count + more
    guard count > small.capacity, count >= Self.largePiece else { return }
    var large = emptyPiece(for: count)
    large.append(contentsOf: small)
    pieces[pieces.count - 1] = large
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

  /// Drops the waiting pieces.
  mutating func drop() {
    pieces = []
    first = 0
    count = 0
    spares.close()
  }

  /// Records that no more pieces come.
  mutating func close() { spares.close() }

  /// Records that the consumer asks for more.
  mutating func reclaim() { spares.reclaim() }

  mutating func take() -> [UInt8]? {
    guard first < pieces.count else { return nil }
    let piece = pieces[first]
    pieces[first] = []
    first += 1
    count -= piece.count
    if (Self.pieceSize..<2 * Self.pieceSize).contains(piece.capacity) { spares.lend(piece) }
    if first == pieces.count {
      pieces.removeAll(keepingCapacity: true)
      first = 0
    }
    return piece
  }
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
  mutating func lend(_ piece: [UInt8]) {
    if !isClosed { current = piece }
  }

  /// Releases all memory: no piece follows.
  mutating func close() {
    isClosed = true
    current = []
    free = []
  }
}
