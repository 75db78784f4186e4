import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import Synchronization

/// Writes one response to a `SQLiteStore`: a small content into the database, a larger one into a file.
///
/// It has an executor of its own, so that a large content keeps no other call waiting.
actor ContentWriter: ResponseStoreWriter {
  /// The largest content in the database; reading it costs less there than opening a file.
  static let largestInDatabase = 16 << 10
  /// The number of bytes that are reserved at a time if the length is not known.
  private static let step: Int64 = 256 << 10

  private let engine: StoreEngine
  private let record: ResponseRecord
  private let reservation: Reservation
  private let executor = DiskExecutor()
  private var length: Int64 = 0
  private var blocks = BlockChecksums()
  /// The content, unless it has a file.
  private var small: [UInt8] = []
  private var file: (content: ContentFile, nonce: UInt64, folder: ContentsFolder)?
  private var isEnded = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ record: ResponseRecord, in engine: StoreEngine, _ reservation: Reservation) {
    self.record = record
    self.engine = engine
    self.reservation = reservation
  }

  isolated deinit { drop() }

  func append(_ bytes: Data) async throws(LupineError) {
    guard !isEnded else { throw LupineError(.other, "The response was committed or aborted, and takes no more bytes.") }
    let end = length + Int64(bytes.count)
    guard end <= engine.largest else {
      drop()
      throw LupineError(.other, "The response has more than \(engine.largest) bytes, an eighth of the store's size.")
    }
    if end <= Self.largestInDatabase, file == nil {
      small += bytes
    } else {
      do throws(LupineError) { try await writeToFile(bytes, end: end) } catch {
        drop()
        await engine.note(error)
        throw error
      }
    }
    bytes.withUnsafeBytes { blocks.update($0) }
    length = end
  }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    try await commit(record, trailers)
  }

  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    try await commit(record, nil)
  }

  private func commit(
    _ record: ResponseRecord, _ trailers: HTTPFields?
  ) async throws(LupineError) -> StoredResponse? {
    guard !isEnded else { return nil }
    let arrived = StoreEngine.Arrived(
      record: record, trailers: trailers, length: length, blocks: blocks.encoded,
      content: file.map { .file(nonce: $0.nonce) } ?? .bytes(small))
    do throws(LupineError) {
      guard let stored = try await engine.add(arrived, reservation) else {
        drop()
        return nil
      }
      // The row has the file and its room now.
      file?.content.unlock()
      file = nil
      drop()
      return stored
    } catch {
      drop()
      throw error
    }
  }

  func abort() async { drop() }

  /// Takes no more bytes, releases their room, and removes the file, if there is one.
  private func drop() {
    isEnded = true
    if let file {
      file.folder.remove(file.nonce)
      file.content.unlock()
    }
    file = nil
    small = []
    reservation.set(0)
  }

  /// Writes to the file, which is made first if necessary, after the room for the bytes was made.
  private func writeToFile(_ bytes: Data, end: Int64) async throws(LupineError) {
    if reservation.bytes < end {
      reservation.set(min(engine.largest, max(end, reservation.bytes + Self.step)))
      guard try await engine.makeRoom() else { throw LupineError(.other, "The store has no room for the response.") }
    }
    let content = try await openedFile()
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try content.write(bytes, at: length) }
    }
    try result.get()
  }

  private func openedFile() async throws(LupineError) -> ContentFile {
    if let file { return file.content }
    let folder = try await engine.contents()
    guard !isEnded else { throw LupineError(.cancelled, "The response was aborted.") }
    let nonce = engine.random()
    let content = try folder.create(nonce)
    file = (content, nonce, folder)
    let result = small.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try content.write(bytes, at: 0) }
    }
    try result.get()
    small = []
    return content
  }
}
