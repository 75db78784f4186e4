import LupineCore
import LupineSQLiteConnection
import LupineSupport

extension StoreEngine {
  /// Opens the database, reads its rows into the index, and removes what an ended process has left behind.
  ///
  /// The caller holds the folder's lock.
  ///
  /// - Parameter files: the nonces of the files, listed before the transaction.
  func open(
    _ folder: StoreFolder, _ contents: ContentsFolder, _ files: Set<UInt64>
  ) throws(SQLiteFailure) -> Opened {
    let table = try ResponseTable(folder.database)
    var opened = Opened(
      table: table, contents: contents, file: FileStatus.of(folder.database), queue: EvictionQueue(room: room))
    try table.begin()
    var abandoned = files
    var (rows, lost): ([ResponseTable.Summary], [Int64]) = ([], [])
    try table.summaries(after: 0) { row in
      let hasContent = !row.hasFile || files.contains(row.nonce) || contents.contains(row.nonce)
      if hasContent, row.size > 0, row.size <= largest { rows.append(row) } else { lost.append(row.id) }
      if row.hasFile { abandoned.remove(row.nonce) }
    }
    var removed: [UInt64] = []
    for id in lost { if let nonce = try table.delete(id) { removed.append(nonce) } }
    // The sum may not fit: a damaged database can contain any number.
    let size = rows.reduce(Int64(0)) { $0 > .max - $1.size ? .max : $0 + $1.size }
    if try table.totalSize() != size { try table.correctTotal(size) }
    var ids: [UInt64: [Int64]] = [:]
    for row in rows {
      ids[row.fingerprint, default: []].append(row.id)
      opened.queue.insert(row.id, size: row.size, fingerprint: row.fingerprint, isProven: true)
      opened.fingerprints[row.id] = row.fingerprint
      opened.lastID = row.id
    }
    keys.reset(ids, lastID: opened.lastID, KeyIndex.Place(database: folder.database, contents: contents))
    opened.version = try table.version()
    try makeRoom(for: 0, in: &opened, &removed)
    let isTrimmed = try table.trim()
    // In the transaction, so that no other process inserts the row of a listed file meanwhile.
    for nonce in abandoned { contents.removeAbandoned(nonce) }
    try table.commit()
    for nonce in removed { contents.remove(nonce) }
    // A failure changes nothing: the log has the transaction.
    if isTrimmed { try? table.checkpoint() }
    return opened
  }

  /// Learns the rows that other processes have added.
  ///
  /// Rows that they have removed are noticed when they are used.
  func synchronize(_ opened: inout Opened) throws(SQLiteFailure) {
    let version = try opened.table.version()
    guard version != opened.version else { return }
    var added: [ResponseTable.Summary] = []
    try opened.table.summaries(after: opened.lastID) { added.append($0) }
    for row in added { learn(row.id, row.fingerprint, row.size, &opened) }
    opened.version = version
  }

  /// Adds a row to what is known.
  func learn(_ id: Int64, _ fingerprint: UInt64, _ size: Int64, replacing old: Int64? = nil, _ opened: inout Opened) {
    keys.insert(id, fingerprint)
    opened.fingerprints[id] = fingerprint
    opened.lastID = max(opened.lastID, id)
    if let old {
      opened.queue.replace(old, by: id, size: size, fingerprint: fingerprint)
    } else {
      opened.queue.insert(id, size: size, fingerprint: fingerprint)
    }
  }

  /// Removes a row from the database and from what is known.
  ///
  /// - Parameter removed: gets the nonce of the content's file, which is removed after the commit.
  func delete(_ id: Int64, in opened: inout Opened, _ removed: inout [UInt64]) throws(SQLiteFailure) {
    if let nonce = try opened.table.delete(id) { removed.append(nonce) }
    forget(id, in: &opened)
    opened.queue.remove(id)
  }

  /// Removes a row from what is known, but not from the queue.
  func forget(_ id: Int64, in opened: inout Opened) {
    if let fingerprint = opened.fingerprints.removeValue(forKey: id) { keys.remove(id, fingerprint) }
  }

  /// The number of bytes that stay free on the disk for the database's log.
  private static let spareBytes: Int64 = 1 << 20

  /// Removes rows until this number of bytes and the reserved ones fit.
  ///
  /// Removes no row if the disk has no room for the new bytes: the response could not be stored even then.
  ///
  /// - Returns: whether they fit.
  @discardableResult
  func makeRoom(
    for size: Int64, in opened: inout Opened, _ removed: inout [UInt64]
  ) throws(SQLiteFailure) -> Bool {
    var total = try opened.table.totalSize()
    let new = size + reserved.bytes
    if total <= room, total > room - new, folder?.freeBytes ?? 0 < new + Self.spareBytes { return false }
    while total > room - new {
      guard let victim = opened.queue.evict() else { return false }
      try delete(victim, in: &opened, &removed)
      total = try opened.table.totalSize()
    }
    return true
  }
}
