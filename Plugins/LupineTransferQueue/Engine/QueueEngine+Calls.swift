import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import LupineSession
import LupineSupport

/// The calls of a program.
extension QueueEngine {
  /// Opens the queue, so that its transfers run, and returns whether this process runs them.
  func isRunner() throws(LupineError) -> Bool { try openIfNeeded().runner != nil }

  /// Adds transfers in one transaction.
  func add(_ transfers: [QueuedTransfer]) async throws(LupineError) -> [TransferID] {
    let folder = try openIfNeeded().folder
    let admitted = try await TransferAdmission(folder, settings).admit(transfers)
    var ids: [TransferID] = []
    // It may have become the runner meanwhile.
    var isRunner = false
    do throws(LupineError) {
      try change { (opened) throws(SQLiteFailure) in
        ids = []
        isRunner = opened.runner != nil
        for row in admitted.rows { ids.append(try opened.database.insert(row)) }
        return isRunner ? [try opened.additions()] : []
      }
    } catch {
      admitted.removeForms()
      throw error
    }
    // The forms are locked until their rows are stored.
    extendLifetime(admitted)
    if !isRunner { stored.opened?.tellRunner() }
    return ids
  }

  /// Gives a command to the machine, or to the process that runs the transfers.
  func command(_ command: QueueCommand, _ id: TransferID, value: Int64 = 0) throws(LupineError) {
    var isRunner = false
    try change { (open) throws(SQLiteFailure) in
      isRunner = open.runner != nil
      if isRunner { return [command.input(id, value)] }
      try open.database.insert(QueueDatabase.Command(transfer: id, kind: command, value: value))
      return []
    }
    if !isRunner { stored.opened?.tellRunner() }
  }

  func read<Value: Sendable>(
    _ work: @Sendable (OpenedQueue) throws(SQLiteFailure) -> Value
  ) throws(LupineError) -> Value {
    let opened = try openIfNeeded()
    do throws(SQLiteFailure) { return try work(opened) } catch { throw stored.failure(error) }
  }

  /// Changes what is no transfer.
  func write(_ work: @Sendable (QueueDatabase) throws(SQLiteFailure) -> Void) throws(LupineError) {
    try change { (opened) throws(SQLiteFailure) in
      try work(opened.database)
      return []
    }
  }

  /// Whether an event is unacknowledged; false after the queue was closed.
  func hasEvent(_ number: Int64) -> Bool {
    guard !isClosed else { return false }
    // If the disk cannot be read now, an event that comes twice is better than one that is lost.
    return (try? opened?.database.hasEvent(number)) ?? true
  }

  /// Takes over the transfers if no other process runs them any more.
  func takeOver() throws(LupineError) -> Bool {
    let opened = try openIfNeeded()
    guard opened.runner == nil else { return true }
    stored.close()
    return try openIfNeeded().runner != nil
  }

  /// Stops the transfers of this process without a change of their states, ends the commands of groups, and closes the
  /// database.
  ///
  /// No other process can run the transfers before those of this one have stopped, or have not stopped for as long as a
  /// call waits for a lock. Each call returns after that.
  func close() async {
    let task = closing ?? Task(executorPreference: settings.executor) { await self.end() }
    closing = task
    await task.value
  }

  private func end() async {
    guard !isClosed else { return await stopped() }
    stored.machine.isClosing = true
    if !backlog.inputs.isEmpty { retry() }
    isClosed = true
    cancelTimers()
    progress.finishAll()
    signal.end()
    running.cancelAll()
    async let ends = settings.hooks?.stop(on: settings.clock) ?? []
    await stopped()
    stored.storeAtClose(await ends)
    stored.close()
  }

  /// Waits until no transfer runs in this process, for a bounded time.
  private func stopped() async {
    guard let waiter = running.waitUntilEmpty() else { return }
    let timer = settings.clock.schedule(settings.patience) { waiter.resume(returning: ()) }
    _ = await waiter.value()
    timer.cancel()
  }
}
