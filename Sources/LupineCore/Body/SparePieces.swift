/// Memory of pieces with which a consumer has done, for pieces that follow: fresh memory costs a page fault a page.
///
/// A consumer that keeps a piece keeps it as it is. Arrays are values, so one of which the consumer holds a reference is
/// given up here and not written over.
struct SparePieces {
  /// The piece handed over last, which the consumer has in hand until it asks for the next.
  private var current: [UInt8] = []
  private var free: [[UInt8]] = []
  private var isClosed = false
  private static let most = 2

  /// An empty piece that has room, where there is one.
  mutating func take() -> [UInt8]? {
    guard var piece = free.popLast() else { return nil }
    // Makes new room where the consumer has kept the old.
    piece.removeAll(keepingCapacity: true)
    return piece
  }

  /// The consumer asks for the next piece, so that it is done with the last as a rule.
  mutating func reclaim() {
    guard current.capacity > 0 else { return }
    if free.count < Self.most { free.append(current) }
    current = []
  }

  /// Keeps a reference to a large piece that is handed over.
  mutating func lend(_ piece: [UInt8]) {
    if !isClosed { current = piece }
  }

  /// Lets go of all: no piece follows.
  mutating func close() {
    isClosed = true
    current = []
    free = []
  }
}
