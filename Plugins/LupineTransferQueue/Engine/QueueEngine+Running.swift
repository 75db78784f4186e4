import LupineCore
import LupineSession

extension QueueEngine {
  /// Begins a transfer that the machine has started.
  func run(_ id: TransferID) {
    let work = running.begin(id, in: opened, settings, progress)
    start { [self] in await ended(id, await work()) }
  }

  private func ended(_ id: TransferID, _ end: RunningTransfers.TaskEnd) {
    running.remove(id)
    guard !isClosed else { return }
    switch running.verdict(end, of: machine.items[id], in: opened) {
    case .now(let ending): note(.ended(id, ending))
    case .later: noteLater(.ended(id, .stopped))
    }
  }

  /// Removes the files of a transfer that was cancelled or removed, or of an upload that has ended.
  ///
  /// If the disk keeps a file, the description of the transfer stays, and the next process tries again.
  func discard(_ id: TransferID) {
    let discarding = running.discarding(id, in: opened, settings)
    start { [self] in
      guard await discarding?.run() ?? true else { return }
      await note(.discarded(id))
    }
  }

  /// Starts the commands of the groups that have ended, if this process is a runner that starts commands.
  func startHooks() {
    guard let hooks = settings.hooks, !isClosed, !machine.isClosing, let opened, opened.runner != nil,
      let due = try? opened.database.hooks(areDue: true)
    else { return }
    for hook in due where hooks.reserve(hook.group) {
      // A program has read the events of a group in which all are acknowledged.
      let isNeeded = machine.hasEvents(ofGroup: hook.group)
      start { [self] in
        guard let ending = await hooks.ending(of: hook, isNeeded: isNeeded) else { return }
        await note(ending)
      }
    }
  }
}
