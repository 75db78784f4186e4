/// The pieces of a streamed body that wait for its consumer.
struct WaitingPieces {
  /// Bytes that wait to be taken.
  private(set) var count = 0
  private var pieces: [[UInt8]] = []
  private var first = 0
  private var spares = SparePieces()
  private static let pieceSize = 256 << 10
  private static let largePiece = 8 << 10

  /// Joins what arrives before anybody takes it, so that a consumer gets few large pieces rather than many small ones.
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

  /// Moves the last piece, where it becomes a large one, to memory that has room for all that may follow.
  private mutating func makeRoom(for more: Int) {
    let small = pieces[pieces.count - 1]
    let count = small.count + more
    guard count > small.capacity, count >= Self.largePiece else { return }
    var large = emptyPiece(for: count)
    large.append(contentsOf: small)
    pieces[pieces.count - 1] = large
  }

  /// A small piece is an event or a line as a rule, which is kept by itself; more follows a large one.
  private mutating func emptyPiece(for count: Int) -> [UInt8] {
    let isLarge = count >= Self.largePiece
    var piece = (isLarge ? spares.take() : nil) ?? []
    piece.reserveCapacity(isLarge ? max(count, Self.pieceSize) : count)
    return piece
  }

  /// Drops what waits to be taken.
  mutating func drop() {
    pieces = []
    first = 0
    count = 0
    spares.close()
  }

  /// Nothing more comes.
  mutating func close() { spares.close() }

  /// The consumer asks for more.
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
