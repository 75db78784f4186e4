import LupineCore
import LupineSQLiteConnection
import LupineSession

/// The machine of a queue and the database that stores its states: both change together, or not at all.
struct StoredMachine {
  private let settings: QueueSettings
  var machine: QueueMachine
  /// The files that are open in this process; `nil` before the first call, and while the folder cannot be used.
  var opened: OpenedQueue?
  /// The role that keeps this process the runner while a damaged database could not be replaced.
  private var keptRole: RunnerRole?
  /// The number of transactions, for tests.
  private(set) var transactions = 0

  init(_ settings: QueueSettings) {
    self.settings = settings
    machine = QueueMachine(settings.limits)
  }

  /// The lock and the socket of the runner, also while its database could not be replaced.
  var runner: RunnerRole? { opened?.runner ?? keptRole }

  /// Opens the folder, and takes the part of the runner if no other process has it.
  ///
  /// - Returns: the open queue, and whether the runner must begin to listen.
  mutating func open() throws(LupineError) -> (queue: OpenedQueue, isNewRunner: Bool) {
    let folder = try QueueFolder(at: settings.folder)
    let role: QueueRole =
      if let keptRole { .runner(keptRole) } else {
        try .take(in: folder, mayRun: settings.runsTransfers, patience: settings.patience)
      }
    let database = try opening(of: folder).open(repairs: role.runner != nil)
    return (OpenedQueue(folder, database, role, patience: settings.patience), role.runner != nil && keptRole == nil)
  }

  /// Uses an open queue from now on.
  mutating func use(_ queue: OpenedQueue) {
    opened = queue
    keptRole = nil
  }

  mutating func close() {
    opened = nil
    keptRole = nil
  }

  /// Changes the machine and the database in one transaction; a database that proves damaged is replaced once.
  ///
  /// - Parameter inputs: what has happened; the closure runs in the transaction and may write more.
  /// - Returns: the actions that follow.
  /// - Throws: `LupineError` of kind `fileFailed`; the machine is as before then.
  mutating func change(
    _ inputs: (inout OpenedQueue) throws(SQLiteFailure) -> [QueueMachine.Input]
  ) throws(LupineError) -> [QueueMachine.Action] {
    do throws(SQLiteFailure) { return try transact(inputs) } catch {
      guard error.isDamage, opened?.runner != nil else { throw failure(error) }
    }
    try rescue()
    do throws(SQLiteFailure) { return try transact(inputs) } catch { throw failure(error) }
  }

  private mutating func transact(
    _ inputs: (inout OpenedQueue) throws(SQLiteFailure) -> [QueueMachine.Input]
  ) throws(SQLiteFailure) -> [QueueMachine.Action] {
    guard let queue = opened else { return [] }
    var actions: [QueueMachine.Action] = []
    do throws(SQLiteFailure) {
      opened = try queue.changed { (opened) throws(SQLiteFailure) in
        for input in try inputs(&opened) + [.time(settings.now)] { actions += machine.handle(input) }
        for action in actions { try opened.database.store(action) }
      }
    } catch {
      machine.undoChanges()
      throw error
    }
    machine.keepChanges()
    transactions += 1
    return actions
  }

  /// Stores the ends of commands of groups while the queue is closed; the states of transfers stay as they are.
  ///
  /// An end that cannot be stored is lost, and the command is started again.
  mutating func storeAtClose(_ inputs: [QueueMachine.Input]) {
    guard !inputs.isEmpty, let queue = opened, queue.runner != nil else { return }
    _ = try? queue.changed { (opened) throws(SQLiteFailure) in
      for case .hookEnded(let group, let completion, let code) in inputs {
        try opened.database.endHook(group, completion: completion, code: code)
      }
    }
  }

  /// Replaces a database that has proved damaged while it was used; transfers that run continue.
  mutating func rescue() throws(LupineError) {
    guard let damaged = opened else { return }
    opened = nil
    do throws(LupineError) {
      opened = damaged.replacing(try opening(of: damaged.folder).replace())
    } catch {
      // The next call opens the folder again, as the same runner.
      keptRole = damaged.runner
      throw error
    }
  }

  private func opening(of folder: QueueFolder) -> QueueOpening {
    QueueOpening(folder: folder, patience: settings.patience)
  }

  func failure(_ failure: SQLiteFailure) -> LupineError {
    failure.error(opened?.folder.store.database ?? settings.folder, of: "queued transfers")
  }
}
