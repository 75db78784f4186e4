public import LupineCore
import LupineSupport
import Synchronization

/// An exchange of a transport that makes no connection; it can be ended early.
public final class VirtualExchange: Sendable {
  private struct State {
    var reason: LupineError?
    /// Cancels the running task of the exchange; `nil` if there is none.
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The error of an exchange that its client has cancelled.
  public static let cancelled = LupineError(.cancelled, "The request was cancelled.")

  /// The duration of a stall: longer than any timeout, so that the timers of a virtual clock fire first.
  public static let longestWait = Duration.seconds(365 * 86_400)

  /// Creates an exchange.
  public init() {}

  /// Ends the exchange early if its context is cancelled.
  public func follow(_ context: TransferContext) {
    // The control holds the handler, so the handler does not hold the control.
    context.onCancel { [weak control = context.control, self] in interrupt(control?.reason ?? Self.cancelled) }
  }

  /// The reason for the early end; `nil` if there is none.
  public var reason: LupineError? { state.withLock { $0.reason } }

  /// Ends the exchange early; the first reason is kept.
  ///
  /// The running task is cancelled synchronously, so that a clock whose timer ended the exchange does not advance
  /// further.
  public func interrupt(_ reason: LupineError) {
    let cancel = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.cancel
    }
    cancel?()
  }

  /// Starts a task that is cancelled if the exchange ends early; the exchange runs one task at a time.
  ///
  /// - Parameter operation: does the work, and calls `detach()` at its end.
  public func start<Value: Sendable>(
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
  public func detach() { state.withLock { $0.cancel = nil } }

  /// Runs an operation in a task that is cancelled if the exchange ends early.
  ///
  /// - Throws: the reason for the early end, or the error of the operation.
  public func run<Value: Sendable>(
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

/// The exchanges of a transport that makes no connection, until their ends.
public final class VirtualExchanges: Sendable {
  private struct State {
    var running: [ObjectIdentifier: (number: Int, exchange: VirtualExchange)] = [:]
    var count = 0
    var isShutDown = false
  }

  private let state = Mutex(State())
  /// Set while no exchange is running.
  private let idle = Signal(isSet: true)
  private let shutDownError: LupineError

  /// - Parameter transport: the name of the transport in the error of the shutdown, such as `The mock transport`.
  public init(of transport: String) {
    shutDownError = LupineError(.sessionShutDown, "\(transport) was shut down.")
  }

  /// Begins an exchange, which ends early if its context is cancelled.
  ///
  /// - Throws: `LupineError` of kind `sessionShutDown` after the shutdown.
  public func enter(_ context: TransferContext) throws(LupineError) -> VirtualExchange {
    let exchange = VirtualExchange()
    let isEntered = state.withLock { state in
      guard !state.isShutDown else { return false }
      idle.clear()
      state.count += 1
      state.running[ObjectIdentifier(exchange)] = (state.count, exchange)
      return true
    }
    guard isEntered else { throw shutDownError }
    exchange.follow(context)
    return exchange
  }

  /// Ends an exchange; a second call does nothing.
  public func leave(_ exchange: VirtualExchange) {
    state.withLock { state in
      state.running[ObjectIdentifier(exchange)] = nil
      if state.running.isEmpty { idle.set() }
    }
  }

  /// Throws the error of the shutdown if there was one.
  public func checkIsOpen() throws(LupineError) {
    if state.withLock({ $0.isShutDown }) { throw shutDownError }
  }

  /// Ends every exchange with kind `sessionShutDown`, in the order of their beginnings, and waits for their ends; later
  /// exchanges fail with the same kind.
  public func shutDown() async {
    let running = state.withLock { state in
      state.isShutDown = true
      return state.running.values.sorted { $0.number < $1.number }.map(\.exchange)
    }
    for exchange in running { exchange.interrupt(shutDownError) }
    await idle.wait()
  }
}
