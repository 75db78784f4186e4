import FoundationEssentials
import Glibc
import LupineSupport

/// The end of a sink: counts the bytes, keeps to the cap, and puts them where they belong.
struct BodyTarget {
  private(set) var byteCount: Int64 = 0
  private let destination: BodySink.Destination
  private var collected = Data()
  /// Those of a body that is streamed; behind a pointer that others have not.
  private var pieces: CopyOnWrite<WaitingPieces>?
  private var isAbandoned = false

  init(_ destination: BodySink.Destination) {
    self.destination = destination
    pieces = if case .stream = destination { CopyOnWrite(WaitingPieces()) } else { nil }
  }

  /// Whether a consumer takes the bytes as they come.
  var isStreamed: Bool { pieces != nil }

  /// Whether nothing waits to be taken.
  var isDrained: Bool { waiting == 0 }

  private var waiting: Int { pieces?.value.count ?? 0 }

  /// Whether the consumer should catch up before more comes.
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

  /// Drops what waits to be taken, and what is still to come.
  mutating func abandon() {
    isAbandoned = true
    pieces?.value.drop()
  }

  /// Nothing more comes.
  mutating func close() { pieces?.value.close() }

  /// Takes bytes that stand in memory as they are, where they are the first of a body that is collected; false where
  /// they must be copied.
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

  /// The first bytes that a `collect` sink has gathered, also of a body that is longer than it may be.
  func gathered(limit: Int64) -> Data { collected.prefix(Int(clamping: limit)) }

  /// The consumer asks for more.
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
