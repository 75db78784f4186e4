import LupineCore
import LupineSQLiteConnection
import LupineSession
import LupineSupport

/// The changes that a process learns of, of its own transfers or of those that another process runs.
extension QueueEngine {
  /// The stored events after a number, 64 at most; `nil` if the folder cannot be used now.
  func storedEvents(after number: Int64) -> QueueReader.Found<[TransferEvent]>? {
    // Connected before the database is read, so that no change is missed.
    guard let isRun = try? follow(), let found = try? opened?.database.events(after: number, limit: 64) else {
      return nil
    }
    return QueueReader.Found(value: found, change: signal.number, isRun: isRun)
  }

  /// The transfers; `nil` if the folder cannot be used.
  ///
  /// - Parameter last: the number of a change; if there was no later one, the value is `nil`.
  func storedTransfers(unless last: Int?) -> QueueReader.Found<[TransferSnapshot]?>? {
    guard let isRun = try? follow(progress: true) else { return nil }
    let number = signal.number
    guard number != last else { return QueueReader.Found(value: nil, change: number, isRun: isRun) }
    return (try? opened?.snapshots(progress)).map { QueueReader.Found(value: $0, change: number, isRun: isRun) }
  }

  /// The number of the last change; `nil` if no process runs the transfers.
  func changeWhileRun() -> Int? { (try? follow()) == true ? signal.number : nil }

  /// Waits for a change after the one with this number; returns false if the task was cancelled.
  func hearsChange(after number: Int) async -> Bool {
    guard let waiter = signal.waiter(after: number) else { return true }
    if await waiter.value() != nil { return true }
    signal.remove(waiter)
    return false
  }

  /// Lets the progress of transfers wake the readers from now on.
  func wakeReadersWithProgress() {
    guard !tellsProgress else { return }
    tellsProgress = true
    let wake = calling { await $0.noteChange() }
    progress.relay { _, _ in wake() }
  }

  /// Listens to the process that runs the transfers, if it is another one.
  ///
  /// - Parameter progress: whether it must report the progress of transfers.
  /// - Returns: whether a process runs them.
  func follow(progress: Bool = false) throws(LupineError) -> Bool {
    guard try openIfNeeded().runner == nil else { return true }
    guard let link = try stored.opened?.connection() else { return false }
    let isNew = try link.listen { [weak self, executor = settings.executor] line in
      Task(executorPreference: executor) { await self?.hear(line) }
    }
    // Nobody has told of what changed before.
    if isNew { noteChange() }
    if progress { link.send(RunnerLine(request: .watch)) }
    return link.isOpen
  }

  private func hear(_ line: RunnerLine?) {
    guard !isClosed, opened?.runner == nil else { return }
    if !progress.hear(line) { for id in progress.transfers { endProgress(of: id) } }
    noteChange()
  }

  /// Begins to report the progress of a transfer; ends it at once if it has ended or no process runs it.
  func beginProgress(of id: TransferID) {
    let isRun = (try? follow(progress: true)) ?? false
    if isRun { endProgress(of: id) } else { progress.finish(id) }
  }

  /// Ends the progress of a transfer that has ended or does not exist.
  private func endProgress(of id: TransferID) {
    guard !isClosed, let transfer = try? opened?.snapshot(of: id, progress), !transfer.state.isEnded else {
      return progress.finish(id)
    }
  }

  /// Takes over the transfers if no other process runs them.
  ///
  /// - Returns: who runs them now; `nil` if the queue was closed.
  func ownerAfterTakeOver() throws(LupineError) -> TransferOwner? {
    guard !isClosed else { return nil }
    return try takeOver() ? .thisProcess : .process(opened?.runnerProcess ?? 0)
  }
}
