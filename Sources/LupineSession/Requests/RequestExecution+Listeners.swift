import HTTPTypes
import LupineCore
import Synchronization

extension RequestExecution {
  /// Runs asynchronous code of the program; cancelling the request cancels it.
  ///
  /// The task starts on the caller's thread, without a hop if the code does not suspend.
  func interruptible<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task.immediate(executorPreference: session.configuration.executor) { try await work() }
    let (number, isEnded) = state.withLock { $0.begin { task.cancel() } }
    if isEnded { task.cancel() }
    defer { state.withLock { $0.endWork(number) } }
    return try await task.value
  }

  /// Runs the code in the same way.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled and the code has failed.
  func interruptible<Value: Sendable>(
    throwing work: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    do {
      return try await interruptible { () async throws -> Value in try await work() }
    } catch {
      throw state.withLock { $0.cancellation } ?? (error as? LupineError ?? LupineError(.other, "\(error)"))
    }
  }

  /// Waits until the handlers have received every value.
  ///
  /// A cancellation or the total timeout cancels the handlers' tasks and ends the wait, because a handler or its queue
  /// may block.
  func finish(_ listeners: [Task<Void, Never>]) async {
    let (waiting, isOver) = AsyncStream.makeStream(of: Never.self)
    Task(executorPreference: session.configuration.executor) {
      for listener in listeners { await listener.value }
      isOver.finish()
    }
    try? await interruptible {
      await withTaskCancellationHandler {
        for await _ in waiting {}
      } onCancel: {
        for listener in listeners { listener.cancel() }
      }
    }
  }
}

extension RequestExecution {
  /// Passes an interim response to the listeners.
  func receiveInterim(_ head: HTTPResponse) {
    for listener in state.withLock({ $0.settings.interimListeners }) { listener.receive(head) }
  }

  /// Removes and returns the listeners; they receive no more responses.
  func takeInterimListeners() -> [InterimListener] {
    state.withLock { state in
      let listeners = state.settings.interimListeners
      if !listeners.isEmpty { state.settings.interimListeners = [] }
      return listeners
    }
  }
}

extension RequestExecution {
  /// Adds a listener, which receives the outcome before any awaited value is returned and before any handler is called.
  ///
  /// Use it for a display that must be complete before the program continues, such as a progress bar. The request waits
  /// for its listeners, unless it is cancelled or times out. It calls each listener once, in a task of its own, after
  /// the last progress. This method does not start the request.
  ///
  /// - Returns: false, without a change, if the request has ended.
  @discardableResult
  public func addOutcomeListener(_ listener: @escaping @Sendable (RequestOutcome) async -> Void) -> Bool {
    state.withLock { state in
      guard !state.hasFinished else { return false }
      state.settings.outcomeListeners.append(listener)
      return true
    }
  }

  /// Passes the outcome to the listeners, and waits for them.
  func notifyListeners(of outcome: RequestOutcome) async {
    let listeners = state.withLock { $0.takeOutcomeListeners() }
    if !listeners.isEmpty { await finish(listeners.map { start($0, outcome) }) }
  }

  @discardableResult
  func start(_ listener: @escaping OutcomeListener, _ outcome: RequestOutcome) -> Task<Void, Never> {
    Task(executorPreference: session.configuration.executor) { await listener(outcome) }
  }

  /// Changes the progress of a body, and schedules the report of a value that the interval delays.
  func report(
    _ direction: RequestProgress.Direction, _ change: (inout sending ProgressReporter) -> sending Duration?
  ) {
    guard let moment = progress.report(of: direction, change) else { return }
    let timer = session.clock.schedule(at: moment) { [weak self] in
      guard let self else { return }
      let now = session.clock.now()
      report(direction) { $0.reportKept(now: now) }
    }
    progress.report(of: direction) { $0.keep(timer, until: moment) }?.cancel()
  }

  /// Ends the handlers of progress: a request with any number of responses, such as a stream of events, has no
  /// progress.
  public func endProgress() { _ = progress.finish(isGood: false) }
}
