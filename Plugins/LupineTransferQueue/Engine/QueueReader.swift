import LupineCore
import LupineSession

/// Reads the events and the transfers of a queue, and waits for what comes later.
struct QueueReader: Sendable {
  /// The transfers as they were read, and the number of the last change before.
  struct Found<Value: Sendable>: Sendable {
    let value: Value
    let change: Int
    /// Whether a process runs the transfers; if none does, nothing changes any more.
    let isRun: Bool
  }

  let engine: QueueEngine

  /// The next events after a number; waits for one while a process runs the transfers.
  ///
  /// - Returns: an empty array at the end: the queue was closed, the task was cancelled, or no process runs the transfers
  ///   and all that is stored was returned.
  func events(after number: Int64) async -> [TransferEvent] {
    var delay = Duration.seconds(1)
    while await !engine.isClosed, !Task.isCancelled {
      guard let found = await engine.storedEvents(after: number) else {
        // The folder cannot be used now, for example because its lock is held.
        guard (try? await engine.settings.clock.sleep(delay)) != nil else { return [] }
        delay = min(delay * 2, .seconds(60))
        continue
      }
      guard found.value.isEmpty, found.isRun else { return found.value }
      guard await engine.hearsChange(after: found.change) else { return [] }
    }
    return []
  }

  /// The transfers, as soon as they may have changed.
  ///
  /// - Parameter last: the number of the last change that the reader knows; `nil` at its beginning.
  /// - Returns: `nil` at the end.
  func update(after last: Int?) async -> Found<[TransferSnapshot]>? {
    await engine.wakeReadersWithProgress()
    while await !engine.isClosed, !Task.isCancelled {
      guard let found = await engine.storedTransfers(unless: last) else { return nil }
      if let transfers = found.value { return Found(value: transfers, change: found.change, isRun: found.isRun) }
      guard found.isRun, await engine.hearsChange(after: found.change) else { return nil }
    }
    return nil
  }

  /// Waits until the process that runs the transfers has ended, or until the queue is closed.
  func waitForRunner() async {
    while !Task.isCancelled, let change = await engine.changeWhileRun() {
      guard await engine.hearsChange(after: change) else { return }
    }
  }
}
