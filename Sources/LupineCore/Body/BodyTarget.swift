import FoundationEssentials
import Glibc

/// The end of a sink: counts the bytes, keeps to the cap, and puts them where they belong.
struct BodyTarget {
  private(set) var byteCount: Int64 = 0
  private let destination: BodySink.Destination
  private var collected = Data()
  private var pieces: [[UInt8]] = []
  private var firstPiece = 0
  private var waiting = 0
  private var isAbandoned = false
  private var spares = SparePieces()
  private static let pieceSize = 256 << 10
  private static let largePiece = 8 << 10

  init(_ destination: BodySink.Destination) { self.destination = destination }

  /// Whether nothing waits to be taken.
  var isDrained: Bool { waiting == 0 }

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
      try keep(to: limit, .responseBody)
      collected.append(contentsOf: bytes)
    case .stream: keep(bytes)
    case .file(let descriptor, let offset, let limit):
      if let limit { try keep(to: limit, .sink) }
      try Self.write(bytes, to: descriptor, at: offset + byteCount - Int64(bytes.count))
    }
  }

  /// Joins what arrives before anybody takes it, so that a consumer gets few large pieces rather than many small ones.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    waiting += bytes.count
    let last = pieces.count - 1
    if firstPiece <= last, pieces[last].count + bytes.count <= Self.pieceSize {
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

  /// Drops what waits to be taken, and what is still to come.
  mutating func abandon() {
    isAbandoned = true
    pieces = []
    firstPiece = 0
    waiting = 0
    spares.close()
  }

  /// Nothing more comes.
  mutating func close() { spares.close() }

  /// Takes bytes that stand in memory as they are, where they are the first of a body that is collected; false where
  /// they must be copied.
  mutating func keep(_ data: Data) throws(LupineError) -> Bool {
    guard case .collect(let limit) = destination, collected.isEmpty, data.startIndex == 0, !isAbandoned else {
      return false
    }
    byteCount += Int64(data.count)
    try keep(to: limit, .responseBody)
    collected = data
    return true
  }

  mutating func takeCollected() -> Data {
    defer { collected = Data() }
    return collected
  }

  /// The consumer asks for more.
  mutating func reclaim() { spares.reclaim() }

  mutating func takePiece() -> [UInt8]? {
    guard firstPiece < pieces.count else { return nil }
    let piece = pieces[firstPiece]
    pieces[firstPiece] = []
    firstPiece += 1
    waiting -= piece.count
    if (Self.pieceSize..<2 * Self.pieceSize).contains(piece.capacity) { spares.lend(piece) }
    if firstPiece == pieces.count {
      pieces.removeAll(keepingCapacity: true)
      firstPiece = 0
    }
    return piece
  }

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
    throw LupineError(.fileFailed, "The response's file cannot be written: \(String(cString: strerror(error))).")
  }
}
