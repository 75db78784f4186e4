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
      let database: QueueDatabase?
      do throws(SQLiteFailure) { database = try openKnown() } catch {
        guard error.isDamage else { throw failure(error) }
        // The header is read only if SQLite cannot read the database, because closing the file releases the locks of this
        // process.
        guard Int64(folder.versionInHeader) <= QueueDatabase.version else { throw laterRelease }
        guard repairs else { throw failure(error) }
        return try replaceDamaged()
      }
      guard let database else { throw laterRelease }
      return database
    }
  }

  private var laterRelease: LupineError {
    LupineError(
      .fileFailed,
      "The queue of transfers \(folder.path) was written by a later release of this library; use that release, or "
        + "another folder. Nothing was changed.")
  }

  /// Opens the database; returns `nil` if a later release has written it.
  private func openKnown() throws(SQLiteFailure) -> QueueDatabase? {
    let connection = try Connection(folder.store.database, patience: patience)
    // Before anything else is taken for damage.
    let version = try QueueDatabase.storedVersion(on: connection)
    guard version <= QueueDatabase.version else { return nil }
    if version > 0 { try QueueDatabase.check(connection) }
    return try QueueDatabase(connection)
  }

  private func replaceDamaged() throws(LupineError) -> QueueDatabase {
    let aside = try folder.store.setDatabaseAsideWithLog()
    try folder.store.prepareDatabase()
    do throws(SQLiteFailure) {
      let database = try QueueDatabase(Connection(folder.store.database, patience: patience))
      if let aside { try Salvage(aside).write(to: database) }
      return database
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ failure: SQLiteFailure) -> LupineError {
    failure.error(folder.store.database, of: "queued transfers")
  }

  /// Moves a database aside that has proved damaged while it was used.
  func replace() throws(LupineError) -> QueueDatabase {
    try folder.store.whileLocked(tries: tries) { () throws(LupineError) in try replaceDamaged() }
  }
}
