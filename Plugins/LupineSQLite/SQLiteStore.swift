public import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import LupineSupport

/// Keeps the responses of a cache in a folder, for later processes and for several processes at the same time.
///
/// An SQLite database has the records and the small contents; each content of more than 16 KiB has a file. An index in
/// memory answers for keys without a response, so that a miss waits for no disk.
///
/// - The responses occupy at most the maximum size. Room is made before bytes are written: what was used least goes
///   first, and a scan of responses that are used once removes none of those that are used often (S3-FIFO). A response
///   of more than an eighth of the maximum size is not stored.
/// - Records and contents have checksums, which are verified while they are read. A damaged response is removed; if that
///   is noticed in the middle of its content, the body fails.
/// - A database that is damaged or of another kind is renamed to `….aside-1`, and the store begins empty. Files of other
///   users and symbolic links are not followed.
/// - If the disk is full, nothing is stored until it has room again.
/// - A process notices the removals of the others at once, and their new responses when it uses the database next, at
///   the latest when it stores one itself.
/// - A call that needs a lock that another process holds tries to take it for a second at most, and then throws. After
///   that, calls try once each, until a call succeeds. A process that is stopped while it holds the lock therefore
///   stops no other.
///
/// The folder belongs to the store alone. It is created with the mode 0700, and its files have the mode 0600; a folder
/// that others can write is refused. It must be on a local file system, because the processes share memory (SQLite's
/// write-ahead log). Contents are not encrypted. A power failure can lose the last responses.
///
/// Responses are read on a connection of their own, so that a hit does not wait for what is being written.
///
/// The database is opened by the first call. Methods throw `LupineError` of kind `fileFailed` with SQLite's or the
/// system's text if a file cannot be used. The store uses threads of `BlockingWork`, one at a time for writing to the
/// database and one for reading it.
public final class SQLiteStore: ResponseStore {
  /// The folder of the store.
  public let folder: String
  /// The number of bytes on the disk that the store may use.
  public let maximumSize: CacheSize
  private let engine: StoreEngine
  private let reader: StoreReader

  /// Creates a store in a folder, which is made when the store is first used.
  ///
  /// - Parameters:
  ///   - folder: the path of a folder that only stores use.
  ///   - maximumSize: the number of bytes on the disk that the store may use. A smaller one than before removes
  ///     responses. Files that were moved aside do not count.
  ///   - clock: measures how long a call tries to take a lock that another process holds. Default: the system's clock.
  ///   - random: returns 64 random bits, for the names of files and the secret; called from any thread. Default: the
  ///     system's source.
  public init(
    at folder: String, maximumSize: CacheSize, clock: any Clock<Duration> = ContinuousClock(),
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  ) {
    self.folder = folder
    self.maximumSize = maximumSize
    engine = StoreEngine(folder, maximumSize: maximumSize.bytes, clock: SessionClock(clock), random: random)
    reader = StoreReader(engine.keys, engine.uses)
  }

  /// Closes the database; waits for the calls that have begun.
  ///
  /// Later calls throw an error, and writers that have not committed fail. Contents that were returned before can still
  /// be read. A store that is released without it closes the database as well. Another store can open the folder again
  /// and has the same responses.
  public func close() async {
    await engine.close()
    await reader.close()
  }

  /// Returns 32 random bytes that belong to the folder, as the key for a cache's hashes of secrets.
  ///
  /// The first call makes the folder and a file in it; later processes get the same bytes. A file that is damaged is
  /// moved aside and made anew. The calling thread waits for the disk. To make the file, it also waits for the folder's
  /// lock, for about a second at most; an existing file is read without the lock.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the folder or the file cannot be used, or if another process holds
  ///   the lock.
  public func hashKey() throws(LupineError) -> [UInt8]? {
    let folder = try StoreFolder(at: folder)
    let file = SecretFile(in: folder)
    if let secret = file.intact { return secret }
    return try folder.whileLocked(tries: 100) { () throws(LupineError) in try file.load(orMakeWith: engine.random) }
  }

  /// Returns the stored responses of a key; waits for no disk if there is none.
  public func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    let fingerprint = Fingerprint.of(key)
    guard engine.keys.mayContain(fingerprint) else { return [] }
    if let found = await reader.responses(for: key, fingerprint) { return found }
    return try await engine.responses(for: key, fingerprint)
  }

  /// Returns the content of a stored response, or a part of it; `nil` if the response was removed or replaced.
  ///
  /// The content of a file is read and verified in pieces of 256 KiB, as its reader asks for them.
  public func content(
    of response: StoredResponse, in range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody? {
    guard let id = ResponseID(response.id), response.length >= 0 else { return nil }
    let range = range ?? 0..<response.length
    guard 0 <= range.lowerBound, range.upperBound <= response.length else {
      throw LupineError(.bodyFailed, "The stored content has \(response.length) bytes and lacks the range \(range).")
    }
    var content = await reader.content(of: id, length: response.length)
    if content == nil { content = try await engine.content(of: id, length: response.length) }
    switch content {
    case nil: return nil
    case .bytes(let data): return .bytes(Data(data[Int(range.lowerBound)..<Int(range.upperBound)]))
    case .file(let file, let blocks):
      let content = ContentBlocks(file: file, blocks: blocks, length: response.length, range: range) { [engine] in
        // The removal is of no concern to the reader, whose body fails anyway.
        try? await engine.remove([id])
      }
      return .stream(length: Int64(range.count)) { content }
    }
  }

  /// Makes a writer, after room for the length was made.
  ///
  /// - Returns: `nil` if the response would have more than an eighth of the maximum size, or the disk was full.
  public func makeWriter(
    for record: ResponseRecord, length: Int64?
  ) async throws(LupineError) -> (any ResponseStoreWriter)? {
    guard length ?? 0 <= engine.largest, try await engine.mayWrite() else { return nil }
    let reservation = Reservation(in: engine.reserved)
    if let length, length > ContentWriter.largestInDatabase {
      reservation.set(length)
      guard try await engine.makeRoom() else { return nil }
    }
    return ContentWriter(record, in: engine, reservation)
  }

  /// Replaces the record of a stored response and keeps its content.
  public func update(
    _ response: StoredResponse, to record: ResponseRecord
  ) async throws(LupineError) -> StoredResponse? {
    guard let id = ResponseID(response.id) else { return nil }
    return try await engine.update(id, to: record, response.trailers)
  }

  /// Removes a stored response; does nothing if it was removed or replaced.
  public func remove(_ response: StoredResponse) async throws(LupineError) {
    guard let id = ResponseID(response.id) else { return }
    try await engine.remove([id])
  }

  /// Removes all stored responses of a key.
  public func removeAll(for key: String) async throws(LupineError) {
    try await engine.removeAll(for: key, Fingerprint.of(key))
  }

  /// Removes all stored responses that match; `matches` is called in the calling task.
  public func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    var last: Int64? = 0
    while let row = last {
      let (found, next) = try await engine.responses(after: row, limit: 256)
      try await engine.remove(found.filter(matches).compactMap { ResponseID($0.id) })
      last = next
    }
  }

  /// Returns the number of bytes that the stored responses occupy: pages of the database and blocks of files.
  public func size() async throws(LupineError) -> Int64 { try await engine.size() }
}

extension ResponseStore where Self == SQLiteStore {
  /// A store in a folder; see `SQLiteStore`.
  ///
  /// - Parameter maximumSize: the number of bytes on the disk that the store may use.
  public static func sqlite(at folder: String, _ maximumSize: CacheSize) -> SQLiteStore {
    SQLiteStore(at: folder, maximumSize: maximumSize)
  }
}
