import Synchronization

extension RequestBody {
  /// Makes a reader that opens the body at its first read, on a thread that waits for disks and for the program's code.
  ///
  /// A body that consists of other bodies uses it to open each of them when its turn comes. An error of the opening is
  /// thrown by a read.
  ///
  /// - Parameter onReady: as for `makeReader(onReady:)`.
  public func makeDeferredReader(onReady: @escaping @Sendable () -> Void) -> any BodyReader {
    DeferredReader(length: length, onReady: onReady, opener(on: ExecutorPreference.current, onReady))
  }

  /// Returns a closure that opens the body, whatever thread calls it, for tasks that prefer the executor.
  func opener(
    on executor: (any TaskExecutor)?, _ onReady: @escaping @Sendable () -> Void
  ) -> DeferredReader.Open {
    {
      ExecutorPreference.$current.withValue(executor) {
        Result { () throws(LupineError) in try makeReader(onReady: onReady) }
      }
    }
  }
}

/// Opens a body at its first read.
final class DeferredReader: BodyReader {
  typealias Open = @Sendable () -> Result<any BodyReader, LupineError>

  private enum State {
    case unopened(Open)
    /// A thread will open the body.
    case waiting(Open)
    case opening
    case open(any BodyReader)
    case failed(LupineError)
    case cancelled
  }

  let length: Int64?
  private let onReady: @Sendable () -> Void
  private let waitsInline = BlockingWork.runsInline
  private let state: Mutex<State>

  /// - Parameters:
  ///   - onReady: called once the body has been opened, on the thread that opened it.
  ///   - open: opens the body; called at most once, on a thread of `BlockingWork`. It is released after the call.
  init(length: Int64?, onReady: @escaping @Sendable () -> Void, _ open: @escaping Open) {
    self.length = length
    self.onReady = onReady
    state = Mutex(.unopened(open))
  }

  deinit { cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let (reader, mustOpen) = try state.withLock { (state) throws(LupineError) -> ((any BodyReader)?, Bool) in
      switch state {
      case .unopened(let open):
        state = .waiting(open)
        return (nil, true)
      case .waiting, .opening: return (nil, false)
      case .open(let reader): return (reader, false)
      case .failed(let error): throw error
      case .cancelled: throw LupineError(.cancelled, "The request's body is not needed any more.")
      }
    }
    if let reader { return try reader.read(into: buffer) }
    guard mustOpen else { return .pending }
    if waitsInline {
      open()
      return try read(into: buffer)
    }
    BlockingWork.start { [self] in
      open()
      onReady()
    }
    return .pending
  }

  /// Opens the body, unless it was cancelled meanwhile.
  private func open() {
    let open = state.withLock { state -> Open? in
      guard case .waiting(let open) = state else { return nil }
      state = .opening
      return open
    }
    if let open { finish(open()) }
  }

  private func finish(_ outcome: Result<any BodyReader, LupineError>) {
    let isWanted = state.withLock { state in
      guard case .opening = state else { return false }
      switch outcome {
      case .success(let reader): state = .open(reader)
      case .failure(let error): state = .failed(error)
      }
      return true
    }
    if !isWanted, case .success(let reader) = outcome { reader.cancel() }
  }

  func cancel() {
    let former = state.withLock { state in
      defer { state = .cancelled }
      return state
    }
    if case .open(let reader) = former { reader.cancel() }
  }
}
