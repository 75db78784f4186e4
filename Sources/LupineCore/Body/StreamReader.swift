import Synchronization

/// Reads an async sequence piece by piece: the next piece is asked for when the last one has been read.
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
        self?.settle(nil)
      } catch {
        self?.settle(Self.failure(error))
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

  /// Hands a piece over and waits until it has been read; false when no more is wanted.
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

  private func settle(_ error: LupineError?) {
    if state.withLock({ $0.settle(error) }) { onReady() }
  }

  private static func failure(_ error: any Error) -> LupineError {
    error as? LupineError
      ?? LupineError(.bodyFailed, "The stream of the request's body threw: \(error).", underlying: error)
  }
}
