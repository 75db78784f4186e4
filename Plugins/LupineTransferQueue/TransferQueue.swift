public import LupineCore
import LupineFoundation
import LupineSQLiteConnection
public import LupineSession

/// Transfers that survive their program: downloads and uploads whose queue, states and events are in a folder.
///
/// ```swift
/// let queue = try TransferQueue(at: folder, session: session)
/// let image = QueuedTransfer.download("https://example.com/big.iso", to: .file("\(place)/big.iso"))
/// let id = try await queue.add(image, priority: .low, data: Purpose.installation)
/// ```
///
/// The queue writes each state to the disk before it reports the state. After a crash, a kill or a power failure, a queue at the same
/// folder continues: downloads from what has arrived, and uploads from what the server has, if
/// `Configuration.resumption` is set. An upload whose response was not stored is sent again.
///
/// One process at a time runs the transfers of a folder. It holds a lock, which the system releases when the process
/// ends. Others can list, add, pause, resume, cancel and remove transfers, and read events and progress; they write to the
/// database, and are connected to a Unix-domain socket of the folder, over which both sides report each change at once.
/// A process of another user is refused. While no process runs the transfers, the commands wait in the database.
///
/// The folder belongs to the queue alone. It has the mode 0700, and its files have the mode 0600. A folder that is a
/// link, that another user owns or can write, or that is on a file system of a network is refused. A damaged database is
/// renamed to `….aside-1`, and what can be read of it is kept. A database of a later release is refused.
///
/// The folder contains no credential. A transfer has the name of one, and the queue asks the session's credential provider
/// for it.
///
/// All methods may be called from any task. The disk is used on threads of `BlockingWork` alone. A call that needs a lock
/// that another process holds waits for 5 seconds at most. Methods throw `LupineError` of kind `fileFailed` if the folder
/// cannot be used. Nothing wakes the queue while there is nothing to do, except for the comparison of dates that
/// `QueuedTransfer.deadline` describes.
public final class TransferQueue: Sendable {
  /// The folder of the queue.
  public let folder: String
  let engine: QueueEngine

  /// Opens the queue of a folder, and begins to run its transfers.
  ///
  /// The disk is not used before this returns: an error of the folder is thrown by the first call.
  ///
  /// - Parameters:
  ///   - folder: the path of a folder that only the queue uses; it is made if it is missing.
  ///   - session: makes the requests, with its retriers and its budget.
  ///   - configuration: the limits and the parts of the program.
  ///   - clock: measures delays. Default: the clock of the system.
  ///   - random: returns 64 random bits, for the names of files. Default: the source of the system.
  /// - Throws: `LupineError` of kind `invalidRequest` if a limit is less than 1.
  public convenience init(
    at folder: String, session: Session, configuration: Configuration = Configuration(),
    clock: (any Clock<Duration>)? = nil, random: (@Sendable () -> UInt64)? = nil
  ) throws(LupineError) {
    try self.init(
      at: folder, session: session, configuration: configuration, clock: clock, random: random, patience: .seconds(5))
  }

  /// - Parameters:
  ///   - patience: the time for which a call waits for the lock of another process.
  ///   - hooks: starts the commands of groups, in a runner.
  ///   - beginsAtOnce: whether the folder is opened before the first call.
  init(
    at folder: String, session: Session, configuration: Configuration, clock: (any Clock<Duration>)?,
    random: (@Sendable () -> UInt64)?, patience: Duration, hooks: RunningHooks? = nil,
    beginsAtOnce: Bool = true
  ) throws(LupineError) {
    guard configuration.limit > 0, configuration.limitPerHost ?? 1 > 0, configuration.bytesPerSecond ?? 1 > 0 else {
      throw LupineError(.invalidRequest, "Each limit of a queue of transfers must be at least 1.")
    }
    self.folder = folder
    let environment = SessionEnvironment.current
    let executor = ExecutorPreference.current
    engine = QueueEngine(
      configuration.settings(
        folder: folder, session: session,
        clock: SessionClock(clock ?? environment?.clock ?? ContinuousClock(), executor: executor),
        random: random ?? environment?.random ?? Self.systemRandom, executor: executor, patience: patience,
        hooks: hooks))
    guard beginsAtOnce else { return }
    // A queue that cannot be opened tells it at the first call.
    Task(executorPreference: executor) { [engine] in _ = try? await engine.isRunner() }
  }

  private static let systemRandom: @Sendable () -> UInt64 = { .random(in: .min ... .max) }

  deinit {
    let engine = engine
    Task(executorPreference: engine.settings.executor) { await engine.close() }
  }

  /// Stops the transfers of this process, and closes the folder.
  ///
  /// Returns when they have stopped, or after 5 seconds. Only then can another process run them. Their states stay as
  /// they are, so that the next process continues them. Later calls throw an error, and `events`
  /// ends. A queue that is released without it is closed as well.
  public func close() async { await engine.close() }

  /// Whether this process runs the transfers; `false` if another process does.
  public var isRunner: Bool {
    get async throws(LupineError) { try await engine.isRunner() }
  }

  /// Takes over the transfers if no other process runs them any more.
  ///
  /// - Returns: whether this process runs the transfers now.
  @discardableResult
  public func takeOver() async throws(LupineError) -> Bool { try await engine.takeOver() }
}

extension TransferQueue {
  /// Adds a transfer; it is on the disk when this returns.
  ///
  /// - Parameter priority: replaces the priority of the transfer; `nil` keeps it.
  /// - Throws: `LupineError` of kind `invalidRequest` if the transfer must not be stored, such as a secret field.
  @discardableResult
  public func add(
    _ transfer: QueuedTransfer, priority: TransferPriority? = nil
  ) async throws(LupineError) -> TransferID {
    var transfer = transfer
    if let priority { transfer.priority = priority }
    guard let id = try await engine.add([transfer]).first else {
      throw LupineError(.other, "The transfer was not added.")
    }
    return id
  }

  /// Adds a transfer with data that come back with each of its events.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` if the value cannot be encoded in JSON.
  @discardableResult
  public func add(
    _ transfer: QueuedTransfer, priority: TransferPriority? = nil, data: some Encodable
  ) async throws(LupineError) -> TransferID {
    var transfer = transfer
    do {
      transfer.data = try JSONEncoder().encode(data)
    } catch {
      throw LupineError(
        .parameterEncodingFailed, "The data of the transfer cannot be encoded: \(error).", underlying: error)
    }
    return try await add(transfer, priority: priority)
  }

  /// Adds several transfers in one transaction: all of them or none.
  ///
  /// - Returns: their identifiers in the same order.
  @discardableResult
  public func add(_ transfers: [QueuedTransfer]) async throws(LupineError) -> [TransferID] {
    try await engine.add(transfers)
  }

  /// Pauses a transfer until `resume(_:)`; does nothing if it has ended or does not exist.
  public func pause(_ id: TransferID) async throws(LupineError) { try await engine.command(.pause, id) }

  /// Lets a transfer run again that is paused, waits for a network or a credential, or has failed.
  public func resume(_ id: TransferID) async throws(LupineError) { try await engine.command(.resume, id) }

  /// Cancels a transfer and removes its partial file; does nothing if it has finished or does not exist.
  public func cancel(_ id: TransferID) async throws(LupineError) { try await engine.command(.cancel, id) }

  /// Removes a transfer with its events; a partial file is removed, a finished download stays.
  public func remove(_ id: TransferID) async throws(LupineError) { try await engine.command(.remove, id) }

  /// Gives a transfer another place, which is stored.
  ///
  /// Does nothing if the transfer does not exist, or if it is to be beside itself or beside one that does not exist. A
  /// transfer that runs is not stopped.
  public func move(_ id: TransferID, to place: TransferPlace) async throws(LupineError) {
    let (command, value) = QueueCommand.moving(to: place)
    try await engine.command(command, id, value: value)
  }

  /// Lets the transfers run again that wait for a credential.
  public func credentialsChanged() async throws(LupineError) {
    try await engine.command(.credentialsChanged, TransferID(0))
  }

  /// Stores a profile, with which a runner makes the sessions of transfers; `nil` removes it.
  ///
  /// - Parameter name: the name that transfers have in `QueuedTransfer.profile`. Default: `default`, the profile of the
  ///   transfers that name none.
  /// - Throws: `LupineError` of kind `invalidRequest` if the profile cannot be stored faithfully, such as a secret field.
  public func setProfile(_ profile: Profile?, named name: String = "default") async throws(LupineError) {
    try await StoredSettings(engine: engine).setProfile(profile, named: name)
  }

  /// A stored profile; `nil` if there is none with this name.
  public func profile(named name: String = "default") async throws(LupineError) -> Profile? {
    try await StoredSettings(engine: engine).profile(named: name)
  }

  /// The names of the stored profiles.
  public var profileNames: [String] {
    get async throws(LupineError) { try await StoredSettings(engine: engine).profileNames }
  }

  /// Stores the command that a runner starts when all transfers of a group have ended; `nil` removes it.
  ///
  /// It is started once for each time that they have ended: finished, failed, cancelled or removed. It is started again if
  /// the runner ended before it could store the exit code, and not if a program has acknowledged all events of the group
  /// before. Store it before the transfers are added.
  ///
  /// - Parameter command: the absolute path of a program, and its arguments; the name of the group is appended. No shell
  ///   reads it.
  /// - Throws: `LupineError` of kind `invalidRequest` if the path is not absolute.
  public func setHook(_ command: [String]?, forGroup group: String) async throws(LupineError) {
    try await StoredSettings(engine: engine).setHook(command, group: group)
  }

  /// The commands of all groups, and their ends.
  public var hooks: [GroupHook] {
    get async throws(LupineError) { try await StoredSettings(engine: engine).hooks }
  }

  /// The unacknowledged events that are stored now, in their order.
  ///
  /// For a program that reads what has happened, and does not wait for more.
  public var unacknowledgedEvents: [TransferEvent] {
    get async throws(LupineError) {
      try await engine.read { (opened) throws(SQLiteFailure) in try opened.database.events(after: 0, limit: .max) }
    }
  }

  /// The transfers: first as they are, and then after each change.
  public var updates: TransferUpdates { TransferUpdates(engine: engine) }

  /// The events: first the unacknowledged ones of earlier runs, then each new one.
  public var events: TransferEvents { TransferEvents(engine: engine) }

  /// Acknowledges an event, which then never comes again.
  ///
  /// A transfer that has finished or was cancelled leaves the folder with the acknowledgement of its last event. One
  /// that has failed stays until it is resumed or removed.
  public func acknowledge(_ event: TransferEvent) async throws(LupineError) {
    try await engine.command(.acknowledge, event.transfer, value: event.number)
  }

  /// The transfers in the order in which they were added.
  public var transfers: [TransferSnapshot] {
    get async throws(LupineError) {
      try await engine.read { [progress = engine.progress] (opened) throws(SQLiteFailure) in
        try opened.snapshots(progress)
      }
    }
  }

  /// One transfer; `nil` if it does not exist.
  public func transfer(_ id: TransferID) async throws(LupineError) -> TransferSnapshot? {
    try await engine.read { [progress = engine.progress] (opened) throws(SQLiteFailure) in
      try opened.snapshot(of: id, progress)
    }
  }

  /// The progress of a transfer, at most ten times a second and once more with its last byte; ends with the transfer.
  ///
  /// A reader that is slow gets the newest value alone. The sequence ends at once if the transfer has ended or does not
  /// exist, or if no process runs the transfers.
  public func progress(of id: TransferID) -> AsyncStream<TransferProgress> {
    let (engine, stream) = (engine, engine.progress.stream(of: id))
    Task(executorPreference: engine.settings.executor) { await engine.beginProgress(of: id) }
    return stream
  }
}
