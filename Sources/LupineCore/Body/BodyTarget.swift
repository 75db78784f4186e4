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
  private static let pieceSize = 128 << 10
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
    if firstPiece < pieces.count, pieces[pieces.count - 1].count + bytes.count <= Self.pieceSize {
      pieces[pieces.count - 1].append(contentsOf: bytes)
      return
    }
    var piece: [UInt8] = []
    // A small piece is an event or a line as a rule, which is kept by itself; more follows a large one.
    piece.reserveCapacity(bytes.count < Self.largePiece ? bytes.count : max(bytes.count, Self.pieceSize))
    piece.append(contentsOf: bytes)
    pieces.append(piece)
  }

  /// Drops what waits to be taken, and what is still to come.
  mutating func abandon() {
    isAbandoned = true
    pieces = []
    firstPiece = 0
    waiting = 0
  }

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

  mutating func takePiece() -> [UInt8]? {
    guard firstPiece < pieces.count else { return nil }
    let piece = pieces[firstPiece]
    pieces[firstPiece] = []
    firstPiece += 1
    waiting -= piece.count
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
