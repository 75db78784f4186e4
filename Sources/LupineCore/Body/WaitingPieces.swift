import DequeModule

/// The pieces of a streamed body that wait for its consumer.
struct WaitingPieces {
  /// Bytes that wait to be taken.
  private(set) var count = 0
  private var pieces: Deque<[UInt8]> = []
  private var spares = SparePieces()
  private static let pieceSize = 256 << 10
  private static let largePiece = 8 << 10

  /// Joins bytes that arrive before the consumer takes them, so that it gets few large pieces.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    let last = pieces.count - 1
    if last >= 0, pieces[last].count + bytes.count <= Self.pieceSize {
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
    count = 0
    spares.close()
  }

  /// Records that no more pieces come.
  mutating func close() { spares.close() }

  /// Records that the consumer asks for more.
  mutating func reclaim() { spares.reclaim() }

  mutating func take() -> [UInt8]? {
    guard let piece = pieces.popFirst() else { return nil }
    count -= piece.count
    if (Self.pieceSize..<2 * Self.pieceSize).contains(piece.capacity) { spares.keep(piece) }
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
