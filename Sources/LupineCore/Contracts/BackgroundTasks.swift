import LupineSupport
import Synchronization

// For the session, whose lifetime bounds these tasks.
extension ExchangeSettings {
  /// Starts a background task; `false` after `closeBackgroundTasks(_:)`.
  package func startBackgroundTask(_ operation: @escaping @Sendable () async -> Void) -> Bool {
    backgroundTasks.start { _ in await operation() }
  }

  /// Refuses new background tasks, and cancels the running ones with the reason: the awaited ones after a second.
  package func closeBackgroundTasks(_ reason: LupineError) { backgroundTasks.close(reason) }

  /// Waits until no background task runs.
  package func finishBackgroundTasks() async { await backgroundTasks.drained() }

  /// Waits until no awaited background task runs, for a second at most.
  package func settleBackgroundTasks() async { await backgroundTasks.settled() }
}

/// The tasks that belong to a session and to none of its requests.
final class BackgroundTasks: Sendable {
  /// The longest time for which the end of a session waits for the awaited tasks.
  static let grace = Duration.seconds(1)

  private struct State {
    var running: [UInt64: BackgroundWork] = [:]
    var lastNumber: UInt64 = 0
    var closing: LupineError?
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The signals to set when no awaited task runs.
    var settled: [Signal] = []
    /// Cancels the awaited tasks.
    var closingTimer: ScheduledTimer?
    /// The number of awaited tasks.
    var awaitedCount = 0

    /// The running tasks in order, so that a simulation cancels them in the same order every time.
    var sorted: [BackgroundWork] { running.sorted { $0.key < $1.key }.map(\.value) }
    var isSettled: Bool { awaitedCount == 0 }

    /// Removes and returns the signals, if no awaited task runs.
    mutating func takeSettled() -> [Signal] {
      guard !settled.isEmpty, isSettled else { return [] }
      defer { settled = [] }
      return settled
    }
  }

  let clock: SessionClock
  /// The timeouts of the exchanges.
  let timeouts: Timeouts
  private let executor: (any TaskExecutor)?
  private let state = Mutex(State())

  init(clock: SessionClock, timeouts: Timeouts, executor: (any TaskExecutor)?) {
    self.clock = clock
    self.timeouts = timeouts
    self.executor = executor
  }

  /// Starts a task; `false` after `close`.
  func start(
    isAwaited: Bool = false, _ operation: @escaping @Sendable (BackgroundWork) async -> Void
  ) -> Bool {
    let work = BackgroundWork(isAwaited: isAwaited)
    let number = state.withLock { state -> UInt64? in
      guard state.closing == nil else { return nil }
      state.lastNumber += 1
      state.running[state.lastNumber] = work
      if isAwaited { state.awaitedCount += 1 }
      return state.lastNumber
    }
    guard let number else { return false }
    work.keep(
      Task(executorPreference: executor) {
        await operation(work)
        work.end()
        self.remove(number)
      })
    return true
  }

  private func remove(_ number: UInt64) {
    let (waiters, settled, timer) = state.withLock { state in
      if let work = state.running.removeValue(forKey: number), work.isAwaited { state.awaitedCount -= 1 }
      defer { if state.running.isEmpty { state.waiters = [] } }
      let timer = state.isSettled ? state.closingTimer.take() : nil
      return (state.running.isEmpty ? state.waiters : [], state.takeSettled(), timer)
    }
    timer?.cancel()
    for waiter in waiters { waiter.resume() }
    for signal in settled { signal.set() }
  }

  /// Refuses new tasks and cancels the running ones with the reason: the awaited ones after a second.
  func close(_ reason: LupineError) {
    let running = state.withLock { state in
      if state.closing == nil { state.closing = reason }
      return state.sorted
    }
    for work in running where !work.isAwaited { work.cancel(reason) }
    guard running.contains(where: \.isAwaited) else { return }
    let timer = clock.schedule(Self.grace) { [self] in
      for work in state.withLock({ $0.sorted }) { work.cancel(reason) }
    }
    let isNeeded = state.withLock { state in
      guard !state.isSettled, state.closingTimer == nil else { return false }
      state.closingTimer = timer
      return true
    }
    if !isNeeded { timer.cancel() }
  }

  /// Waits until no awaited task runs, for a second at most.
  func settled() async {
    let signal = Signal()
    let isSettled = state.withLock { state in
      if state.isSettled { return true }
      state.settled.append(signal)
      return false
    }
    guard !isSettled else { return }
    let timer = clock.schedule(Self.grace) { signal.set() }
    await signal.wait()
    timer.cancel()
  }

  /// Waits until no task runs.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.running.isEmpty { state.waiters.append(continuation) }
        return state.running.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}

/// One task of a session and its running exchanges.
final class BackgroundWork: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var exchanges: [ObjectIdentifier: BackgroundExchange] = [:]
    /// The reason why no more exchanges can begin; `nil` while they can.
    var closing: LupineError?
  }

  /// Whether the end of the session waits for the task.
  let isAwaited: Bool
  private let state = Mutex(State())

  init(isAwaited: Bool) { self.isAwaited = isAwaited }

  func keep(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.closing != nil
    }
    if isCancelled { task.cancel() }
  }

  /// Begins an exchange.
  ///
  /// - Throws: the reason for the cancellation, if the task was cancelled.
  func begin(_ exchange: BackgroundExchange) throws(LupineError) {
    let closing = state.withLock { state in
      if state.closing == nil { state.exchanges[ObjectIdentifier(exchange.control)] = exchange }
      return state.closing
    }
    if let closing { throw closing }
    exchange.watch()
  }

  /// The reason for the cancellation of the task; `nil` if it was not cancelled.
  var reason: LupineError? { state.withLock { $0.closing } }

  func end(_ control: ExchangeControl) {
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: ObjectIdentifier(control)) }
    exchange?.control.finish()
  }

  func cancel(_ reason: LupineError) {
    let (task, exchanges) = close(reason)
    // The task first, so that the operation finds it cancelled when its exchange fails.
    task?.cancel()
    for exchange in exchanges { exchange.control.cancel(reason) }
  }

  /// Ends the exchanges that the operation has left running.
  func end() {
    let reason = LupineError(.cancelled, "The background task that sent the request has ended.")
    for exchange in close(reason).exchanges {
      exchange.control.cancel(reason)
      end(exchange.control)
    }
  }

  private func close(_ reason: LupineError) -> (task: Task<Void, Never>?, exchanges: [BackgroundExchange]) {
    state.withLock { state in
      if state.closing == nil { state.closing = reason }
      return (state.task, Array(state.exchanges.values))
    }
  }
}

/// One exchange of a background task, with its timeouts.
final class BackgroundExchange: Sendable {
  let control: ExchangeControl
  private let started: Duration
  private let timer: TimeoutScheduler
  private let bounds: Bounds

  private struct Bounds {
    let idle: Duration?
    /// The time for the whole exchange.
    let total: Duration?
  }

  init(_ control: ExchangeControl, _ timeouts: Timeouts, clock: SessionClock) {
    let bounds = Bounds(
      idle: timeouts.idle, total: timeouts.attempt.map { min($0, timeouts.total ?? $0) } ?? timeouts.total)
    let started = clock.now()
    self.control = control
    self.bounds = bounds
    self.started = started
    timer = TimeoutScheduler(clock: clock) { Self.endIfOverdue(control, bounds, started, now: $0) }
  }

  /// Sets the timer for the first deadline.
  func watch() {
    if let first = Self.endIfOverdue(control, bounds, started, now: started) { timer.expect(first) }
  }

  /// Ends the exchange if it is overdue; otherwise returns the next deadline.
  private static func endIfOverdue(
    _ control: ExchangeControl, _ bounds: Bounds, _ started: Duration, now: Duration
  ) -> Duration? {
    let lastActive = control.lastActivity(now: now)
    let end = bounds.total.map { started + $0 }
    let idleEnd = bounds.idle.map { lastActive + $0 }
    if let end, now >= end {
      control.cancel(LupineError(.timedOut(.total), "The background request took longer than its timeout."))
    } else if let idleEnd, now >= idleEnd {
      control.cancel(LupineError(.timedOut(.idle), "The background request made no progress in time."))
    } else {
      return [end, idleEnd].compactMap(\.self).min()
    }
    return nil
  }
}
