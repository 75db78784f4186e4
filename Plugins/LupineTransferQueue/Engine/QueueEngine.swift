import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import LupineSession
import LupineSupport
import LupineTransfers

/// The only one that uses the database of a queue: one thread at a time, which may wait for the disk.
///
/// It stores what follows from an input of the machine in one transaction, and acts after that.
actor QueueEngine {
  let settings: QueueSettings
  let progress = ProgressHub()
  private let executor = DiskExecutor()
  var stored: StoredMachine
  var running: RunningTransfers
  /// The facts that are stored later.
  var backlog = Backlog()
  /// The changes of events and snapshots, as far as this process hears of them.
  var signal = ChangeSignal()
  var isClosed = false
  /// Closes the queue, once.
  var closing: Task<Void, Never>?
  /// Whether the progress of transfers wakes the readers of snapshots.
  var tellsProgress = false
  private var deadlineTimer = DeadlineTimer()
  var networkWatch = NetworkWatch()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ settings: QueueSettings) {
    self.settings = settings
    stored = StoredMachine(settings)
    running = RunningTransfers(
      pace: settings.bytesPerSecond.map { BytePace($0, clock: settings.clock) })
  }

  isolated deinit { stored.close() }

  var opened: OpenedQueue? { stored.opened }
  var machine: QueueMachine { stored.machine }
  var transactions: Int { stored.transactions }

  /// Starts a task that ends on its own.
  func start(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: settings.executor) { await work() }
  }

  /// Changes the machine and the database together, and acts.
  ///
  /// - Parameters:
  ///   - inputs: what has happened; the closure runs in the transaction and may write more.
  /// - Throws: `LupineError` of kind `fileFailed`; nothing has changed then.
  func change(
    _ inputs: (inout OpenedQueue) throws(SQLiteFailure) -> [QueueMachine.Input]
  ) throws(LupineError) {
    // Opening may change the machine.
    try openIfNeeded()
    let actions = try stored.change(inputs)
    for action in actions { act(on: action) }
    if !actions.isEmpty {
      opened?.runner?.server.tellChange()
      noteChange()
    }
    setDeadlineTimer()
  }

  /// Wakes the readers: there may be events, and snapshots have changed.
  func noteChange() { signal.send() }

  private func act(on action: QueueMachine.Action) {
    switch action {
    case .start(let id): run(id)
    case .stop(let id): running.cancel(id)
    case .discard(let id): discard(id)
    case .store(let id, let state): if state.isEnded { progress.finish(id) }
    case .storeRemoval(let id): progress.finish(id)
    case .completeGroup: startHooks()
    case .storeHookEnd(let group, _, _):
      settings.hooks?.release(group)
      startHooks()
    case .storePlace, .tell, .forget, .delete: break
    }
  }

  /// Calls a function of the queue from a timer or a thread.
  func calling(_ work: @escaping @Sendable (QueueEngine) async -> Void) -> @Sendable () -> Void {
    { [weak self, executor = settings.executor] in
      Task(executorPreference: executor) { if let self { await work(self) } }
    }
  }

  /// Wakes the queue for the next deadline; without a deadline, nothing wakes it.
  private func setDeadlineTimer() {
    let next = isClosed ? nil : machine.nextDeadline
    deadlineTimer.set(to: next, now: settings.now, on: settings.clock, calling { await $0.compareDeadline() })
  }

  private func compareDeadline() {
    deadlineTimer.cancel()
    guard !isClosed else { return }
    guard let next = machine.nextDeadline, next <= settings.now else { return setDeadlineTimer() }
    do throws(LupineError) { try change { (_) throws(SQLiteFailure) in [] } } catch { retryLater() }
  }

  /// Stops all that would wake the queue.
  func cancelTimers() {
    deadlineTimer.cancel()
    backlog.cancelTimer()
    networkWatch.cancel()
  }
}

/// A change that cannot be stored now is stored later.
extension QueueEngine {
  func retryLater() {
    guard !isClosed else { return }
    backlog.retry(on: settings.clock, calling { await $0.retry() })
  }

  /// Stores what could not be stored, or tries again later.
  func retry() {
    backlog.cancelTimer()
    guard !isClosed else { return }
    let pending = backlog
    do throws(LupineError) {
      try change { (opened) throws(SQLiteFailure) in
        pending.inputs + (pending.hasNotice ? try opened.news() : [])
      }
      backlog.remove(pending)
    } catch {
      retryLater()
    }
  }

  /// Notes what has happened; if it cannot be stored now, it is stored later.
  func note(_ input: QueueMachine.Input) {
    guard !isClosed else { return }
    do throws(LupineError) {
      try change { (_) throws(SQLiteFailure) in [input] }
    } catch {
      noteLater(input)
    }
  }

  func noteLater(_ input: QueueMachine.Input) {
    guard !isClosed else { return }
    backlog.add(input)
    retryLater()
  }
}
