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

  /// The body whose progress is reported.
  enum Direction {
    case upload
    case download
  }

  /// Schedules the report of a progress value that the interval delays.
  func scheduleProgress(_ direction: Direction, at moment: Duration) {
    // Scheduled outside the lock, because a clock may fire at once.
    let timer = session.clock.schedule(at: moment) { [weak self] in self?.reportKeptProgress(direction) }
    let overtaken =
      switch direction {
      case .upload: upload.withLock { $0.keep(timer, until: moment) }
      case .download: download.withLock { $0.keep(timer, until: moment) }
      }
    overtaken?.cancel()
  }

  private func reportKeptProgress(_ direction: Direction) {
    let now = session.clock.now()
    let moment =
      switch direction {
      case .upload: upload.withLock { $0.reportKept(now: now) }
      case .download: download.withLock { $0.reportKept(now: now) }
      }
    if let moment { scheduleProgress(direction, at: moment) }
  }

  /// Ends the handlers of progress: a request with any number of responses, such as a stream of events, has no
  /// progress.
  public func endProgress() { _ = finishProgress(isGood: false) }

  /// Reports the last progress values; the returned tasks end when every handler has received them.
  func finishProgress(isGood: Bool) -> [Task<Void, Never>] {
    let sent = upload.withLock { $0.finish(isGood ? $0.sent : nil) }
    let received = download.withLock { $0.finish(isGood ? $0.received : nil) }
    sent.timer?.cancel()
    received.timer?.cancel()
    return sent.tasks.isEmpty ? received.tasks : sent.tasks + received.tasks
  }
}

/// Calls a handler with interim responses, in order, off the transport's thread.
final class InterimListener: Sendable {
  private let responses: AsyncStream<HTTPResponse>.Continuation
  private let calls: Task<Void, Never>

  init(executor: (any TaskExecutor)?, _ handler: @escaping @Sendable (HTTPResponse) async -> Void) {
    // The limit `informationalResponses` bounds their number for each connection.
    let (stream, continuation) = AsyncStream.makeStream(of: HTTPResponse.self)
    responses = continuation
    calls = Task(executorPreference: executor) {
      for await response in stream { await handler(response) }
    }
  }

  /// Ends the task of the handler if the request is released without being started.
  deinit { responses.finish() }

  func receive(_ response: HTTPResponse) { responses.yield(response) }

  /// Accepts no more responses; the returned task ends when the handler has received all of them.
  func finish() -> Task<Void, Never> {
    responses.finish()
    return calls
  }
}
