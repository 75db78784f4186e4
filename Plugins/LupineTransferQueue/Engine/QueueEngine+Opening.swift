import LupineCore
import LupineSQLiteConnection
import LupineSession

extension QueueEngine {
  /// Opens the folder, and runs its transfers if no other process does.
  @discardableResult
  func openIfNeeded() throws(LupineError) -> OpenedQueue {
    guard !isClosed else { throw LupineError(.other, "The queue of transfers \(settings.folder) was closed.") }
    if let opened {
      try opened.checkFile()
      return opened
    }
    let (queue, isNewRunner) = try stored.open()
    // A runner without a thread would hear of nothing.
    if isNewRunner { try queue.runner?.serve(progress, noticed: calling { await $0.noticed() }) }
    stored.use(queue)
    if queue.runner != nil { try begin() }
    return opened ?? queue
  }

  /// Begins to run the transfers of a folder; after an error, another call tries it again.
  private func begin() throws(LupineError) {
    do throws(LupineError) { try restart() } catch {
      stored.opened = nil
      throw error
    }
    watchNetwork()
    // Those that an earlier process has not started, or whose end it could not store.
    startHooks()
    // An earlier runner may have stored events of which it could not tell.
    noteChange()
  }

  /// Takes up the transfers that the database has.
  private func restart() throws(LupineError) {
    try change { (opened) throws(SQLiteFailure) in
      let items = try opened.allItems()
      running.interrupted = Set(items.lazy.filter { $0.state != .finished && $0.state != .cancelled }.map(\.id))
      let (events, lastEvent) = try opened.database.eventNumbers()
      return [
        .network(isAvailable: settings.network?.conditions.availability != .unavailable),
        .restarted(items, events: events, lastEvent: lastEvent),
      ] + (try opened.commands())
    }
  }

  /// Another process has changed the database.
  private func noticed() {
    stored.runner?.notice.take()
    guard !isClosed, opened != nil else { return }
    do throws(LupineError) {
      try change { (opened) throws(SQLiteFailure) in try opened.news() }
    } catch {
      backlog.addNotice()
      retryLater()
    }
  }

  private func watchNetwork() {
    guard let network = settings.network else { return }
    networkWatch.begin(network, on: settings.executor) { [weak self] isAvailable in
      await self?.networkChanged(isAvailable: isAvailable) != nil
    }
  }

  private func networkChanged(isAvailable: Bool) {
    guard !isClosed, machine.isOnline != isAvailable else { return }
    // An earlier state that could not be stored counts no more.
    backlog.removeNetworkStates()
    note(.network(isAvailable: isAvailable))
    // The state of the network needs no disk; the transfers that wait for it are woken when they can be stored.
    stored.machine.isOnline = isAvailable
  }
}
