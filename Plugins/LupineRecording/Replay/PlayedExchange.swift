import LupineCore
import LupineSupport
import Synchronization

/// An exchange that is played, and its early end.
final class PlayedExchange: Sendable {
  private struct State {
    var reason: LupineError?
    /// Cancels the running task of the exchange; `nil` if there is none.
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  static let cancelled = LupineError(.cancelled, "The request was cancelled.")

  /// The reason for the early end; `nil` if there is none.
  var reason: LupineError? { state.withLock { $0.reason } }

  /// Ends the exchange early; the first reason is kept.
  ///
  /// The running task is cancelled synchronously, so that a clock whose timer ended the exchange does not advance
  /// further.
  func interrupt(_ reason: LupineError) {
    let cancel = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.cancel
    }
    cancel?()
  }

  /// Ends the exchange when its context is cancelled.
  func follow(_ context: TransferContext) {
    // The control holds the handler, so the handler does not hold the control.
    context.onCancel { [weak control = context.control, self] in interrupt(control?.reason ?? Self.cancelled) }
  }

  /// Starts a task that is cancelled if the exchange ends early.
  func start<Value: Sendable>(
    on executor: (any TaskExecutor)?, _ operation: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    let isAttached = Signal()
    let task = Task(executorPreference: executor) {
      // Without this wait, a clock that the operation advances could end the exchange before this task can be
      // cancelled, and then advance further.
      await isAttached.wait()
      return await operation()
    }
    let isOver = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.reason != nil
    }
    if isOver { task.cancel() }
    isAttached.set()
    return task
  }

  /// Removes the task, which is done.
  func detach() { state.withLock { $0.cancel = nil } }

  /// Runs an operation in a task that is cancelled if the exchange ends early.
  ///
  /// - Throws: the reason for the early end, or the error of the operation.
  func run<Value: Sendable>(
    on executor: (any TaskExecutor)?, _ operation: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    let work = start(on: executor) { () async -> Result<Value, LupineError> in
      do throws(LupineError) { return .success(try await operation()) } catch { return .failure(error) }
    }
    let result = await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
    detach()
    if let reason { throw reason }
    if Task.isCancelled { throw Self.cancelled }
    return try result.get()
  }
}

/// The exchanges that a transport plays now.
struct PlayedExchanges {
  private var running: [ObjectIdentifier: (number: Int, exchange: PlayedExchange)] = [:]
  private var count = 0
  private(set) var isShutDown = false

  /// Adds an exchange; returns false after the shutdown.
  mutating func enter(_ exchange: PlayedExchange) -> Bool {
    guard !isShutDown else { return false }
    count += 1
    running[ObjectIdentifier(exchange)] = (count, exchange)
    return true
  }

  /// Removes an exchange; returns true if it was the last.
  mutating func leave(_ exchange: PlayedExchange) -> Bool {
    running[ObjectIdentifier(exchange)] = nil
    return running.isEmpty
  }

  /// Refuses later exchanges; returns those that run, in the order of their beginnings.
  mutating func shutDown() -> [PlayedExchange] {
    isShutDown = true
    return running.values.sorted { $0.number < $1.number }.map(\.exchange)
  }
}
