import Synchronization

extension Body {
  private static let pieceSize = 128 << 10

  /// Reads the whole body outside of any transport, piece by piece.
  ///
  /// - Throws: `LupineError`: what the body or `take` threw, or kind `cancelled` where the task is cancelled.
  package func drain(into take: (UnsafeRawBufferPointer) throws(LupineError) -> Void) async throws(LupineError) {
    let readiness = Readiness()
    let reader = try makeReader { readiness.signal() }
    // What was read to its end takes no harm of it.
    defer { reader.cancel() }
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 1)
    defer { space.deallocate() }
    while true {
      if Task.isCancelled { throw LupineError(.cancelled, "The task that read the body was cancelled.") }
      switch try reader.read(into: space) {
      case .bytes(let count): try take(UnsafeRawBufferPointer(rebasing: space[..<count]))
      case .pending: await readiness.wait()
      case .end: return
      }
    }
  }
}

extension BodyReader {
  /// Fills the front of an array.
  package func read(into buffer: inout [UInt8]) throws(LupineError) -> BodyRead {
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<BodyRead, LupineError> in
      do throws(LupineError) { return .success(try read(into: bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

/// Waits for one signal at a time; one that came early counts.
private final class Readiness: Sendable {
  private enum State {
    case idle
    case signalled
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.idle)

  func signal() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if case .awaited(let waiter) = state {
        state = .idle
        return waiter
      }
      state = .signalled
      return nil
    }
    waiter?.resume()
  }

  /// Returns at the signal, or when the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignalled = state.withLock { state in
          if case .signalled = state {
            state = .idle
            return true
          }
          state = .awaited(continuation)
          return false
        }
        if isSignalled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
