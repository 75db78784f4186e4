import Synchronization

extension TransferContext {
  /// Opens a request's body for this exchange, on a thread that waits for disks and for the program's code.
  ///
  /// A cancellation of the exchange or of the task ends the wait. A body that no thread has begun to open is then not
  /// opened; one that is being opened is cancelled afterwards.
  func open(
    _ body: RequestBody, mayStayUnread: Bool, _ onReady: @escaping @Sendable () -> Void
  ) async throws(LupineError) -> any BodyReader {
    let executor = executor ?? ExecutorPreference.current
    let open: @Sendable () -> Opening.Outcome = {
      ExecutorPreference.$current.withValue(executor) {
        Result { () throws(LupineError) in try body.makeReader(onReady: onReady) }
      }
    }
    switch body.source {
    case .none, .bytes: return try open().get()
    case .file, .stream, .sequence: break
    }
    if mayStayUnread, !body.isReplayable { return DeferredReader(length: body.length, onReady: onReady, open) }
    if BlockingWork.runsInline { return try open().get() }
    let opening = Opening(open)
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        opening.begin(continuation)
        onCancel { [weak control] in opening.end(.failure(control?.reason ?? .openingCancelled)) }
        BlockingWork.start { opening.run() }
      }
    } onCancel: {
      opening.end(.failure(.openingCancelled))
    }
    return try outcome.get()
  }
}

extension LupineError {
  fileprivate static let openingCancelled = LupineError(
    .cancelled, "The request was cancelled while its body was opened.")
}

/// A wait for a body that another thread opens.
private final class Opening: Sendable {
  typealias Outcome = Result<any BodyReader, LupineError>

  private struct State {
    /// Opens the body; `nil` once a thread does, or once the wait has ended.
    var open: (@Sendable () -> Outcome)?
    var waiter: UnsafeContinuation<Outcome, Never>?
    var hasEnded = false
    /// The outcome, if the wait ended before it began.
    var early: Outcome?
  }

  private let state: Mutex<State>

  init(_ open: @escaping @Sendable () -> Outcome) { state = Mutex(State(open: open)) }

  func begin(_ waiter: UnsafeContinuation<Outcome, Never>) {
    let early = state.withLock { state in
      if state.early == nil { state.waiter = waiter }
      return state.early.take()
    }
    if let early { waiter.resume(returning: early) }
  }

  /// Opens the body, unless the wait has ended.
  func run() {
    if let open = state.withLock({ $0.open.take() }) { end(open()) }
  }

  /// Ends the wait; only the first call has an effect.
  ///
  /// A body that is opened after that is cancelled.
  func end(_ outcome: Outcome) {
    let (waiter, isLate) = state.withLock { state in
      let isLate = state.hasEnded
      state.hasEnded = true
      state.open = nil
      if !isLate, state.waiter == nil { state.early = outcome }
      return (state.waiter.take(), isLate)
    }
    waiter?.resume(returning: outcome)
    if isLate, case .success(let reader) = outcome { reader.cancel() }
  }
}

extension RequestBody {
  /// Makes a reader that opens the body at its first read, on a thread that waits for disks and for the program's code.
  ///
  /// A body that consists of other bodies uses it to open each of them when its turn comes. An error of the opening is
  /// thrown by a read.
  ///
  /// - Parameter onReady: as for `makeReader(onReady:)`.
  public func makeDeferredReader(onReady: @escaping @Sendable () -> Void) -> any BodyReader {
    let executor = ExecutorPreference.current
    return DeferredReader(length: length, onReady: onReady) {
      ExecutorPreference.$current.withValue(executor) {
        Result { () throws(LupineError) in try self.makeReader(onReady: onReady) }
      }
    }
  }
}

/// Opens a body at its first read.
final class DeferredReader: BodyReader {
  typealias Open = @Sendable () -> Result<any BodyReader, LupineError>

  private enum State {
    case unopened
    case opening
    case open(any BodyReader)
    case failed(LupineError)
    case cancelled
  }

  let length: Int64?
  private let onReady: @Sendable () -> Void
  private let open: Open
  private let waitsInline = BlockingWork.runsInline
  private let state = Mutex(State.unopened)

  /// - Parameter open: opens the body; called once, on a thread of `BlockingWork`.
  init(length: Int64?, onReady: @escaping @Sendable () -> Void, _ open: @escaping Open) {
    self.length = length
    self.onReady = onReady
    self.open = open
  }

  deinit { cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let (reader, mustOpen) = try state.withLock { (state) throws(LupineError) -> ((any BodyReader)?, Bool) in
      switch state {
      case .unopened:
        state = .opening
        return (nil, true)
      case .opening: return (nil, false)
      case .open(let reader): return (reader, false)
      case .failed(let error): throw error
      case .cancelled: throw LupineError(.cancelled, "The request's body is not needed any more.")
      }
    }
    if let reader { return try reader.read(into: buffer) }
    guard mustOpen else { return .pending }
    if waitsInline {
      finish(open())
      return try read(into: buffer)
    }
    BlockingWork.start { [self] in
      finish(open())
      onReady()
    }
    return .pending
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
