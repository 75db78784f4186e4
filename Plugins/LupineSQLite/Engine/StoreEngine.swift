import LupineCore
import LupineSQLiteConnection
import LupineSupport
import Synchronization

/// The only one that changes the database: one thread at a time, which may wait for the disk.
///
/// No thread waits for a lock that another process holds. A call tries to take the lock repeatedly, for a second at
/// most. After such a call has failed, calls try once each, until one has taken a lock.
///
/// An error closes the connection, which rolls back, and discards the knowledge about the rows; the next call opens the
/// database again. A damaged database is moved aside first, and the call is repeated on an empty one.
actor StoreEngine {
  /// The database while it is open, and what is known about its rows.
  struct Opened {
    let table: ResponseTable
    let contents: ContentsFolder
    /// The file that is open, to notice that another process has replaced it.
    let file: FileStatus?
    var queue: EvictionQueue
    /// The fingerprint of the key of each row.
    var fingerprints: [Int64: UInt64] = [:]
    var version: Int64 = 0
    var lastID: Int64 = 0
  }

  /// The longest time for which a call tries to take a lock that another process holds.
  private static let longestWait = Duration.seconds(1)

  let path: String
  /// The number of bytes that the responses may occupy.
  let room: Int64
  /// The number of bytes that one response may occupy.
  let largest: Int64
  let keys = KeyIndex()
  /// The uses that the reader has counted.
  let uses = UseLog()
  /// The number of bytes that writers will need.
  let reserved = Reservation.Total()
  let random: @Sendable () -> UInt64
  private let executor = DiskExecutor()
  var opened: Opened?
  var folder: StoreFolder?
  private let clock: SessionClock
  private var isClosed = false
  /// Whether no lock was taken since a call has failed because another process held it.
  var isLockedOut = false
  private var isDiskFull = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ path: String, maximumSize: Int64, clock: SessionClock, random: @escaping @Sendable () -> UInt64) {
    self.path = path
    self.clock = clock
    self.random = random
    // Sums of sizes stay far below the greatest number.
    let maximumSize = min(max(0, maximumSize), 1 << 50)
    largest = maximumSize / 8
    // The database's log and its own pages; see `ResponseTable`.
    room = maximumSize - min(largest, 1 << 20)
  }

  // Closing waits for the disk.
  isolated deinit { opened = nil }

  func close() {
    isClosed = true
    forget()
  }

  /// Runs code on the database; if another process holds the lock, tries again for a second at most.
  ///
  /// - Parameter work: may be called several times: while another process holds the lock, and on an empty database if
  ///   the first one is damaged.
  func use<Value>(
    _ work: (isolated StoreEngine, inout Opened) throws(SQLiteFailure) -> Value
  ) async throws(LupineError) -> Value {
    let end = clock.now() + Self.longestWait
    var delay = Duration.milliseconds(1)
    while true {
      let now: Duration
      do throws(LupineError) {
        return try useOnce(work)
      } catch {
        guard error.isStoreLocked else { throw error }
        now = clock.now()
        guard !isLockedOut, now < end else {
          isLockedOut = true
          throw error
        }
      }
      guard (try? await clock.sleep(until: min(now + delay, end))) != nil else {
        throw LupineError(.cancelled, "The task that waited for the store \(path) was cancelled.")
      }
      delay = min(delay * 2, .milliseconds(50))
    }
  }

  private func useOnce<Value>(
    _ work: (isolated StoreEngine, inout Opened) throws(SQLiteFailure) -> Value
  ) throws(LupineError) -> Value {
    for isFirst in [true, false] {
      var opened = try openIfNeeded()
      // One owner at a time, so that the queue is changed in place.
      self.opened = nil
      do throws(SQLiteFailure) {
        let value = try work(self, &opened)
        self.opened = opened
        return value
      } catch {
        // The statement that needed the lock has changed nothing.
        if error.isLocked, !opened.table.isInTransaction {
          self.opened = opened
          throw error.error(path, of: "stored responses")
        }
        keys.forget()
        if error.isDiskFull { isDiskFull = true }
        guard error.isDamage, isFirst else { throw error.error(path, of: "stored responses") }
        try setAside(opened.file)
      }
    }
    throw LupineError(.other, "The store \(path) cannot be used.")
  }

  /// Whether a response may be written: `false` after the disk was full, until it has room again.
  func mayWrite() throws(LupineError) -> Bool {
    let folder = try openedFolder()
    if isDiskFull, folder.freeBytes >= max(largest, 1 << 20) { isDiskFull = false }
    return !isDiskFull
  }

  /// Stops storing if a file could not be written because the disk is full.
  func note(_ error: LupineError) {
    switch error.file?.kind {
    case .noSpace, .readOnly: isDiskFull = true
    default: break
    }
  }

  private func forget() {
    opened = nil
    keys.forget()
  }

  private func openedFolder() throws(LupineError) -> StoreFolder {
    guard !isClosed else { throw LupineError(.other, "The store \(path) of responses was closed.") }
    // The folder may have been removed.
    if let folder, FileStatus.of(folder.path)?.isFolder == true { return folder }
    let folder = try StoreFolder(at: path)
    self.folder = folder
    return folder
  }

  private func openIfNeeded() throws(LupineError) -> Opened {
    let folder = try openedFolder()
    if let opened {
      if let file = FileStatus.of(folder.database), file.isSameFile(as: opened.file) { return opened }
      forget()
    }
    return try folder.whileLocked { () throws(LupineError) in
      try folder.prepareDatabase()
      let contents = try folder.contents()
      let files = try contents.nonces()
      isLockedOut = false
      do throws(SQLiteFailure) { return try open(folder, contents, files) } catch {
        if error.isDiskFull { isDiskFull = true }
        guard error.isDamage else { throw error.error(folder.database, of: "stored responses") }
      }
      try folder.setDatabaseAside()
      try folder.prepareDatabase()
      do throws(SQLiteFailure) { return try open(folder, contents, files) } catch {
        throw error.error(folder.database, of: "stored responses")
      }
    }
  }

  /// Moves a damaged database aside, unless another process has replaced it already.
  private func setAside(_ file: FileStatus?) throws(LupineError) {
    let folder = try openedFolder()
    try folder.whileLocked { () throws(LupineError) in
      if let present = FileStatus.of(folder.database), present.isSameFile(as: file) { try folder.setDatabaseAside() }
    }
  }
}

/// A number of bytes that a writer will need; released at the latest with this object.
final class Reservation: Sendable {
  /// The bytes of all writers.
  final class Total: Sendable {
    fileprivate let count = Atomic<Int64>(0)
    var bytes: Int64 { count.load(ordering: .relaxed) }
  }

  private let total: Total
  private let own = Atomic<Int64>(0)

  init(in total: Total) { self.total = total }

  deinit { set(0) }

  var bytes: Int64 { own.load(ordering: .relaxed) }

  func set(_ bytes: Int64) {
    let before = own.exchange(bytes, ordering: .relaxed)
    total.count.add(bytes - before, ordering: .relaxed)
  }
}
