import LupineCore
import Synchronization

/// Reads a whole body outside of any transport.
enum BodyDrain {
  private static let pieceSize = 128 << 10

  static func drain(
    _ body: Body, into take: (UnsafeRawBufferPointer) throws(LupineError) -> Void
  ) async throws(LupineError) {
    let readiness = Readiness()
    let reader = try body.makeReader { readiness.signal() }
    // What was read to its end takes no harm of it.
    defer { reader.cancel() }
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    defer { space.deallocate() }
    while true {
      if Task.isCancelled { throw LupineError(.cancelled, "The encoding was cancelled.") }
      switch try reader.read(into: space) {
      case .bytes(let count): try take(UnsafeRawBufferPointer(rebasing: space[..<count]))
      case .pending: await readiness.wait()
      case .end: return
      }
    }
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
