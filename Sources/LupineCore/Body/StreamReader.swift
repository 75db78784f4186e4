import Synchronization

/// Reads an async sequence piece by piece.
///
/// It requests the next piece after the last one has been read.
final class StreamReader: BodyReader {
  let length: Int64?
  private let state: Mutex<StreamReaderState>
  private let onReady: @Sendable () -> Void

  init<Bytes: AsyncSequence & Sendable>(
    length: Int64?, make: @Sendable () throws -> Bytes, onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) where Bytes.Element == [UInt8] {
    self.length = length
    self.onReady = onReady
    state = Mutex(StreamReaderState(remaining: length))
    let bytes: Bytes
    do { bytes = try make() } catch { throw Self.failure(error) }
    let pump = Task(executorPreference: ExecutorPreference.current) { [weak self] in
      do {
        for try await piece in bytes {
          guard let self, await self.offer(piece) else { return }
        }
        self?.finish(nil)
      } catch {
        self?.finish(Self.failure(error))
      }
    }
    state.withLock { $0.pump = pump }
  }

  deinit { cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let (result, waiter) = try state.withLock { (state) throws(LupineError) in try state.read(into: buffer) }
    waiter?.resume(returning: true)
    return result
  }

  func cancel() {
    let (pump, waiter) = state.withLock { $0.cancel() }
    waiter?.resume(returning: false)
    pump?.cancel()
  }

  /// Passes a piece to the reader and waits until it has been read; returns false if no more is wanted.
  private func offer(_ piece: [UInt8]) async -> Bool {
    guard !piece.isEmpty else { return true }
    return await withCheckedContinuation { continuation in
      let isWanted = state.withLock { $0.offer(piece, continuation) }
      switch isWanted {
      case .refused: continuation.resume(returning: false)
      case .kept: break
      case .awaited: onReady()
      }
    }
  }

  private func finish(_ error: LupineError?) {
    if state.withLock({ $0.finish(error) }) { onReady() }
  }

  private static func failure(_ error: any Error) -> LupineError {
    error as? LupineError
      ?? LupineError(.bodyFailed, "The stream of the request's body threw: \(error).", underlying: error)
  }
}

/// The state of a `StreamReader`: the current piece and the waiting continuation.
struct StreamReaderState {
  typealias Waiter = CheckedContinuation<Bool, Never>

  enum Offer { case refused, kept, awaited }

  var pump: Task<Void, Never>?
  private var piece: [UInt8] = []
  private var position = 0
  private var remaining: Int64?
  private var waiter: Waiter?
  private var isReaderWaiting = false
  private var isCancelled = false
  private var end: Result<Void, LupineError>?

  init(remaining: Int64?) { self.remaining = remaining }

  mutating func offer(_ piece: [UInt8], _ waiter: Waiter) -> Offer {
    if isCancelled { return .refused }
    self.piece = piece
    position = 0
    self.waiter = waiter
    defer { isReaderWaiting = false }
    return isReaderWaiting ? .awaited : .kept
  }

  /// Records the end of the stream; returns true if the reader waits for it.
  mutating func finish(_ error: LupineError?) -> Bool {
    guard end == nil, !isCancelled else { return false }
    end = error.map { .failure($0) } ?? .success(())
    defer { isReaderWaiting = false }
    return isReaderWaiting
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> (BodyRead, Waiter?) {
    let count = min(buffer.count, piece.count - position)
    guard count > 0 else { return (try readNothing(), nil) }
    try spend(count)
    piece.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
    position += count
    guard position == piece.count else { return (.bytes(count), nil) }
    piece = []
    position = 0
    defer { waiter = nil }
    return (.bytes(count), waiter)
  }

  mutating func cancel() -> (Task<Void, Never>?, Waiter?) {
    isCancelled = true
    piece = []
    position = 0
    defer {
      pump = nil
      waiter = nil
    }
    return (pump, waiter)
  }

  private mutating func readNothing() throws(LupineError) -> BodyRead {
    guard let end else {
      isReaderWaiting = true
      return .pending
    }
    if case .failure(let error) = end { throw error }
    if let remaining, remaining > 0 {
      throw LupineError(
        .bodyFailed, "The stream of the request's body ended \(remaining) bytes before its stated length.")
    }
    return .end
  }

  private mutating func spend(_ count: Int) throws(LupineError) {
    guard let left = remaining else { return }
    guard left >= Int64(count) else {
      throw LupineError(.bodyFailed, "The stream of the request's body yields more bytes than its stated length.")
    }
    remaining = left - Int64(count)
  }
}
