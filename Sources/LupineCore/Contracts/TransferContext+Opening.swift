import LupineSupport
import Synchronization

extension TransferContext {
  /// Opens the request's body for this exchange.
  ///
  /// A file is opened, and the program's code for a stream is called, on a thread that waits for disks; bytes in memory
  /// are opened at once. The reader emits `sent` when the transport has read the last byte. For a request without a
  /// body, or with an empty body, the transport emits `sent` itself.
  ///
  /// A cancellation of the exchange or of the task ends the wait, whether or not the transport has registered a
  /// handler with `onCancel(_:)`.
  ///
  /// - Parameters:
  ///   - mayStayUnread: whether the body may never be read, as one that waits for a proxy's tunnel or for 100
  ///     (Continue). A body that can be sent only once is then opened at its first read. Default: `false`.
  ///   - reportsReads: whether a read counts as sent. If not, the reader makes neither events nor progress until the
  ///     transport calls `reportSent()` on it. Default: `true`.
  ///   - onReady: called from any thread each time bytes become available after a read returned `pending`. It may be
  ///     called before this method returns.
  /// - Throws: the error of a body that cannot be opened, or the reason for the cancellation.
  public func makeReader(
    for body: RequestBody, mayStayUnread: Bool = false, reportsReads: Bool = true,
    onReady: @escaping @Sendable () -> Void
  ) async throws(LupineError) -> UploadReader {
    UploadReader(try await open(body, mayStayUnread: mayStayUnread, onReady), in: self, isReporting: reportsReads)
  }

  /// Opens a request's body for this exchange, on a thread that waits for disks and for the program's code.
  ///
  /// A cancellation of the exchange or of the task ends the wait. A body that no thread has begun to open is then not
  /// opened; one that is being opened is cancelled afterwards.
  func open(
    _ body: RequestBody, mayStayUnread: Bool, _ onReady: @escaping @Sendable () -> Void
  ) async throws(LupineError) -> any BodyReader {
    let executor = executor ?? ExecutorPreference.current
    switch body.source {
    case .none, .bytes: return try body.opener(on: executor, onReady)().get()
    case .file, .stream, .sequence: break
    }
    if mayStayUnread, !body.isReplayable {
      return DeferredReader(length: body.length, onReady: onReady, body.opener(on: executor, onReady))
    }
    if BlockingWork.runsInline { return try body.opener(on: executor, onReady)().get() }
    let opening = BodyOpening(body.opener(on: executor, onReady))
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        opening.begin(continuation)
        control.setInterruption(of: opening) { opening.finish(.failure($0)) }
        BlockingWork.start { opening.run() }
      }
    } onCancel: {
      opening.finish(.failure(LupineError(.cancelled, "The request was cancelled while its body was opened.")))
    }
    control.setInterruption(of: opening, nil)
    return try outcome.get()
  }
}

extension TransferContext {
  /// Waits for work of a layer that may not answer, such as a call of a store.
  ///
  /// A cancellation of the exchange or of the calling task ends the wait at once, and cancels the task of the work. The
  /// work may go on; its result is then dropped. The method does not use `onCancel(_:)`.
  ///
  /// - Parameter work: runs in a task of its own, on the exchange's executor, or else on the global one.
  /// - Throws: the reason for the cancellation of the exchange, or kind `cancelled`.
  public func interruptible<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async throws(LupineError) -> Value {
    let waiter = Waiter<Value>()
    let task = Task.immediate(executorPreference: executor ?? ExecutorPreference.current) {
      _ = waiter.resume(returning: await work())
    }
    control.setInterruption(of: waiter) { _ in waiter.cancel() }
    let value = await waiter.value()
    control.setInterruption(of: waiter, nil)
    if let value, control.reason == nil { return value }
    task.cancel()
    throw control.reason ?? LupineError(.cancelled, "The request was cancelled.")
  }
}

/// A wait for a body that another thread opens.
private final class BodyOpening: Sendable {
  typealias Outcome = Result<any BodyReader, LupineError>

  private struct State {
    /// Opens the body; `nil` once a thread does, or once the wait has ended.
    var open: DeferredReader.Open?
    var waiter: UnsafeContinuation<Outcome, Never>?
    var hasEnded = false
    /// The outcome, if the wait ended before it began.
    var early: Outcome?
  }

  private let state: Mutex<State>

  init(_ open: @escaping DeferredReader.Open) { state = Mutex(State(open: open)) }

  func begin(_ waiter: UnsafeContinuation<Outcome, Never>) {
    let early = state.withLock { state in
      if state.early == nil { state.waiter = waiter }
      return state.early.take()
    }
    if let early { waiter.resume(returning: early) }
  }

  /// Opens the body, unless the wait has ended.
  func run() {
    // The closure, which holds the body, is released before the waiter continues.
    guard let outcome = state.withLock({ $0.open.take() }).map({ $0() }) else { return }
    finish(outcome)
  }

  /// Ends the wait; only the first call has an effect.
  ///
  /// A body that is opened after that is cancelled.
  func finish(_ outcome: Outcome) {
    let (waiter, unused, isLate) = state.withLock { state in
      let isLate = state.hasEnded
      state.hasEnded = true
      if !isLate, state.waiter == nil { state.early = outcome }
      return (state.waiter.take(), state.open.take(), isLate)
    }
    // Released outside the lock, and before the waiter continues.
    _ = consume unused
    waiter?.resume(returning: outcome)
    if isLate, case .success(let reader) = outcome { reader.cancel() }
  }
}
