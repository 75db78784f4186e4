import LupineCore
import LupineSQLiteConnection

/// Opens the database of a queue.
struct QueueOpening {
  let folder: QueueFolder
  /// The time for which a call waits for the lock of another process.
  let patience: Duration

  /// The number of tries to take the lock of the folder, one each 10 milliseconds.
  private var tries: Int { max(1, Int(patience / .milliseconds(10))) }

  /// Opens the database; moves a damaged one aside, and keeps what can be read of it.
  ///
  /// - Parameter repairs: whether this process may do so.
  func open(repairs: Bool) throws(LupineError) -> QueueDatabase {
    try folder.refuseSecondNames()
    return try folder.store.whileLocked(tries: tries) { () throws(LupineError) in
      try folder.store.prepareDatabase()
      do throws(SQLiteFailure) { return try open() } catch {
        try refuseNewer(error)
        guard error.isDamage, repairs else { throw error.error(folder.store.database, of: "queued transfers") }
      }
      return try replaceDamaged()
    }
  }

  private func open() throws(SQLiteFailure) -> QueueDatabase {
    let probe = try Connection(folder.store.database, patience: patience)
    // Before anything else is taken for damage.
    let version = try QueueDatabase.storedVersion(on: probe)
    guard version <= QueueDatabase.version else { throw .newer(version) }
    if version > 0 { try QueueDatabase.check(probe) }
    return try QueueDatabase(folder.store.database, patience: patience)
  }

  private func refuseNewer(_ failure: SQLiteFailure) throws(LupineError) {
    // The header is read only if SQLite cannot read it: that releases the locks of this process.
    guard failure.isNewer || failure.isDamage && Int64(folder.versionInHeader) > QueueDatabase.version else { return }
    throw LupineError(
      .fileFailed,
      "The queue of transfers \(folder.path) was written by a later release of this library; use that release, or "
        + "another folder. Nothing was changed.", underlying: failure)
  }

  private func replaceDamaged() throws(LupineError) -> QueueDatabase {
    let aside = try folder.setDatabaseAside()
    try folder.store.prepareDatabase()
    do throws(SQLiteFailure) {
      let database = try QueueDatabase(folder.store.database, patience: patience)
      if let aside { try Salvage(aside).write(to: database) }
      return database
    } catch {
      throw error.error(folder.store.database, of: "queued transfers")
    }
  }

  /// Moves a database aside that has proved damaged while it was used.
  func replace() throws(LupineError) -> QueueDatabase {
    try folder.store.whileLocked(tries: tries) { () throws(LupineError) in try replaceDamaged() }
  }
}

extension SQLiteFailure {
  private static let newerText = "the tables are of a later release"

  fileprivate static func newer(_ version: Int64) -> SQLiteFailure { .damaged("\(newerText) (\(version))") }

  fileprivate var isNewer: Bool { text.hasPrefix(Self.newerText) }
}
