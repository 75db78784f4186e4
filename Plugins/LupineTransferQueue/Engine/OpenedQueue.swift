import LupineCore
import LupineSQLiteConnection
import LupineSession
import LupineTransfers

/// The files of the queue that are open in this process.
struct OpenedQueue {
  let folder: QueueFolder
  let database: QueueDatabase
  var role: QueueRole
  let checkpoints: QueueCheckpoints
  /// The file that is open, to notice that another process has replaced it.
  private let file: FileStatus?
  /// The number of the last row that the machine knows.
  private(set) var lastID: Int64 = 0

  init(_ folder: QueueFolder, _ database: QueueDatabase, _ role: QueueRole, patience: Duration) {
    self.folder = folder
    self.database = database
    self.role = role
    checkpoints = QueueCheckpoints(path: folder.store.database, patience: patience)
    file = FileStatus.of(folder.store.database)
  }

  /// The lock and the socket of the runner; `nil` if another process runs the transfers.
  var runner: RunnerRole? { role.runner }

  /// The connection to the process that runs the transfers; `nil` if there is none, or if this process runs them.
  ///
  /// A new connection begins with a notice: the other process may not have read the last change.
  mutating func connection() throws(LupineError) -> RunnerLink? {
    guard case .client(let client) = role else { return nil }
    if let link = client?.link, link.isOpen { return link }
    let socket = UnixSocket(folder: folder, name: QueueRole.socketName)
    guard let link = try RunnerLink.open(socket, patience: checkpoints.patience) else { return nil }
    link.send(RunnerLine(request: .notice))
    role = .client(ClientRole(link))
    return link
  }

  /// The number of the process that runs the transfers, if this one is connected to it.
  var runnerProcess: Int32? { if case .client(let client) = role { client?.link.process } else { nil } }

  /// Tells the process that runs the transfers that the database has changed.
  ///
  /// If there is none, the next one reads the database.
  mutating func tellRunner() {
    guard let link = try? connection(), !link.send(RunnerLine(request: .notice)) else { return }
    // Another process may have begun meanwhile.
    _ = try? connection()
  }

  /// Throws an error if another file is in the place of the one that is open.
  func checkFile() throws(LupineError) {
    guard !isInFolder else { return }
    throw LupineError(
      .fileFailed,
      "The database of the queue \(folder.path) was removed or replaced while it was open; close the queue.")
  }

  /// The queue after code that ran in one transaction, which an error undoes.
  func changed(_ work: (inout OpenedQueue) throws(SQLiteFailure) -> Void) throws(SQLiteFailure) -> OpenedQueue {
    var queue = self
    do throws(SQLiteFailure) {
      try database.begin()
      try work(&queue)
      try database.commit()
      return queue
    } catch {
      database.rollBack()
      throw error
    }
  }

  /// The same queue with another database in the place of a damaged one.
  func replacing(_ database: QueueDatabase) -> OpenedQueue {
    var new = OpenedQueue(folder, database, role, patience: checkpoints.patience)
    new.lastID = lastID
    return new
  }

  /// Whether the file that is open is still the one in the folder.
  private var isInFolder: Bool {
    guard let file else { return false }
    return FileStatus.of(folder.store.database)?.isSameFile(as: file) == true
  }

  /// Reads all transfers for a runner that begins, and removes the forms that none of them names.
  mutating func allItems() throws(SQLiteFailure) -> [QueueMachine.Item] {
    var forms: Set<String> = []
    let items = try items(after: 0) { row in if let form = row.record.formName { forms.insert(form) } }
    folder.removeAbandonedForms(except: forms)
    return items
  }

  /// Takes the transfers that the machine does not know yet.
  mutating func additions() throws(SQLiteFailure) -> QueueMachine.Input { .added(try items(after: lastID)) }

  private mutating func items(
    after first: Int64, _ visit: (TransferRow) -> Void = { _ in }
  ) throws(SQLiteFailure) -> [QueueMachine.Item] {
    var items: [QueueMachine.Item] = []
    var last = first
    try database.rows(after: first) { row, id in
      last = id
      guard let row else { return }
      items.append(row.item)
      visit(row)
    }
    lastID = last
    return items
  }

  /// Takes the commands of other processes out of the database.
  func commands() throws(SQLiteFailure) -> [QueueMachine.Input] {
    try database.takeCommands().map { $0.kind.input($0.transfer, $0.value) }
  }

  /// The transfers and the commands of other processes.
  mutating func news() throws(SQLiteFailure) -> [QueueMachine.Input] { [try additions()] + (try commands()) }
}

/// The snapshots of transfers.
extension OpenedQueue {
  /// The transfers that are not removed, in the order in which they were added.
  func snapshots(_ progress: ProgressHub) throws(SQLiteFailure) -> [TransferSnapshot] {
    var found: [TransferSnapshot] = []
    try database.rows(after: 0) { row, _ in
      if let row, let snapshot = snapshot(row, progress) { found.append(snapshot) }
    }
    return found
  }

  func snapshot(of id: TransferID, _ progress: ProgressHub) throws(SQLiteFailure) -> TransferSnapshot? {
    try database.row(id).flatMap { snapshot($0, progress) }
  }

  private func snapshot(_ row: TransferRow, _ progress: ProgressHub) -> TransferSnapshot? {
    row.isRemoved ? nil : row.snapshot(progress.latest(of: row.id) ?? storedProgress(of: row))
  }

  /// The progress that the disk proves: nothing is written for it while a download runs.
  private func storedProgress(of row: TransferRow) -> TransferProgress? {
    guard row.state != .finished, row.state != .cancelled, let download = StagedDownload(row) else { return nil }
    if let size = download.completeSize { return TransferProgress(completed: size, total: size) }
    guard let state = try? database.checkpoint(of: row.id) else { return nil }
    return DownloadRequest.progress(of: state)
  }
}
