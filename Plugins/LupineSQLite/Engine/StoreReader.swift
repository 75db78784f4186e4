import LupineCore
import LupineFoundation
import LupineSQLiteConnection

/// Reads responses on a connection of its own, beside the engine, so that a hit does not wait for what is being written.
///
/// It answers only what is intact and known to the engine. In any other case it answers `nil`, and the caller asks the
/// engine, which knows what to do: another process has added or removed rows, a row is damaged, or the database was
/// replaced.
actor StoreReader {
  /// A connection that only reads, and the file that it has opened.
  private final class Opened {
    let queries: ResponseQueries
    private let connection: Connection
    private let file: FileStatus

    init?(_ path: String) {
      guard let file = FileStatus.of(path) else { return nil }
      do throws(SQLiteFailure) {
        let connection = try Connection(path)
        try connection.execute("PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        queries = try ResponseQueries(on: connection)
        self.connection = connection
      } catch {
        return nil
      }
      self.file = file
      guard isCurrent(path) else { return nil }
    }

    /// Whether the path still names the file.
    func isCurrent(_ path: String) -> Bool { FileStatus.of(path)?.isSameFile(as: file) ?? false }
  }

  private let keys: KeyIndex
  private let uses: UseLog
  private let executor = DiskExecutor()
  private var opened: Opened?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ keys: KeyIndex, _ uses: UseLog) {
    self.keys = keys
    self.uses = uses
  }

  // Closing waits for the disk.
  isolated deinit { opened = nil }

  func close() { opened = nil }

  /// Returns the responses of a key.
  func responses(for key: String, _ fingerprint: UInt64) -> [StoredResponse]? {
    read { (queries, _) throws(SQLiteFailure) in
      let known = keys.lastID ?? 0
      guard try queries.newestID() <= known else { return nil }
      var found: [StoredResponse] = []
      for id in keys.ids(fingerprint) {
        guard case .intact(let row) = try queries.row(id), let response = row.response else { return nil }
        if response.record.key == key { found.append(response) }
      }
      return found
    }
  }

  /// Returns the content of a response.
  func content(of id: ResponseID, length: Int64) -> StoreEngine.Content? {
    read { (queries, contents) throws(SQLiteFailure) in
      guard case .intact(let row) = try queries.row(id.row), row.nonce == id.nonce, row.length == length else {
        return nil
      }
      uses.add(id.row)
      guard !row.hasFile else {
        return (try? contents.open(row.nonce, length: length)).flatMap { $0 }.map { .file($0, blocks: row.blocks) }
      }
      guard let bytes = try queries.content(row.id), Int64(bytes.count) == length,
        BlockChecksums.verify(bytes, from: 0, row.blocks)
      else { return nil }
      return .bytes(Data(bytes))
    }
  }

  private func read<Value>(
    _ work: (ResponseQueries, ContentsFolder) throws(SQLiteFailure) -> Value?
  ) -> Value? {
    guard let place = keys.place else { return nil }
    if let opened, !opened.isCurrent(place.database) { self.opened = nil }
    guard let opened = opened ?? Opened(place.database) else { return nil }
    self.opened = opened
    do throws(SQLiteFailure) { return try work(opened.queries, place.contents) } catch {
      self.opened = nil
      return nil
    }
  }
}
