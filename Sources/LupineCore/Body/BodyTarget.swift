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
