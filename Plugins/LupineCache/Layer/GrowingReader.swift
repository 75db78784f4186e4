import HTTPTypes
import LupineCore
import LupineSupport

/// The place of one request in a growing entry.
final class GrowingReader: Sendable {
  /// The largest number of bytes that are read at a time.
  private static let pieceSize: Int64 = 128 << 10

  /// What a read found.
  enum Piece: Sendable {
    case bytes([UInt8])
    case end
    /// No more bytes come from this entry.
    case broken
    /// Nothing has come for the time of the limit.
    case stalled
  }

  let entry: GrowingEntry
  private let number: Int
  private let changed: Signal

  init(_ entry: GrowingEntry, _ number: Int, _ changed: Signal) {
    self.entry = entry
    self.number = number
    self.changed = changed
  }

  deinit { leave() }

  /// Ends the reading; the transfer need not go on for this request.
  func leave() { entry.remove(number) }

  /// Whether bytes have arrived and the others will, or the response has ended without any.
  ///
  /// A response that breaks off before can still be replaced by another one.
  var canBegin: Bool { entry.isReadable ?? false }

  /// Waits until it is known whether an answer can begin; returns early if the task is cancelled.
  func waitForBeginning() async {
    while !Task.isCancelled {
      // Before the look at the entry, which may change after it.
      changed.clear()
      guard entry.isReadable == nil else { return }
      await changed.wait()
    }
  }

  /// The trailers, once every byte was read.
  var trailers: HTTPFields? { entry.trailers }

  /// Returns the bytes at a position, and waits for them.
  ///
  /// - Parameter limit: the longest wait; `nil` means none.
  /// - Throws: kind `cancelled` if the task is cancelled.
  func read(at position: Int64, _ limit: Duration?, on clock: SessionClock) async throws(LupineError) -> Piece {
    let start = clock.now()
    while !Task.isCancelled {
      // Before the look at the entry, which may change after it.
      changed.clear()
      switch entry.progress(at: position) {
      case .bytes(let count, let writer):
        // A writer that has lost its bytes has given the response up.
        let range = position..<position + min(count, Self.pieceSize)
        guard let bytes = try? await writer.read(range), bytes.count == range.count else { return .broken }
        return .bytes(bytes)
      case .complete: return .end
      case .broken: return .broken
      case .growing:
        let waited = clock.now() - start
        if let limit, waited >= limit { return .stalled }
        let timer = limit.map { clock.schedule($0 - waited) { [changed] in changed.set() } }
        await changed.wait()
        timer?.cancel()
      }
    }
    throw LupineError(.cancelled, "The response is not needed any more.")
  }
}
