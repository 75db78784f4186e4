import LupineCore
import LupineFoundation
import LupineTransfers

/// The state that a later process needs to continue an upload.
///
/// The URL of the upload may be secret, so the state is as secret as that URL. The acknowledged bytes may be fewer than
/// the server has: the upload asks for the offset before it goes on.
struct StoredUpload: Sendable, Hashable, Codable {
  static let currentVersion = 1

  var version = Self.currentVersion
  var dialect: String
  /// The method and the URL of the request that created the upload.
  var method: String
  var target: String
  /// The URL of the upload.
  var location: String
  var length: Int64
  var content: ContentVersion
  var acknowledged: Int64

  init?(decoding data: Data) {
    guard let stored = try? JSONDecoder().decode(StoredUpload.self, from: data),
      stored.version == Self.currentVersion
    else { return nil }
    self = stored
  }

  init(
    dialect: UploadDialect, method: String, target: HTTPURL, location: HTTPURL, length: Int64, content: ContentVersion,
    acknowledged: Int64
  ) {
    self.dialect = dialect.name
    self.method = method
    self.target = target.string
    self.location = location.string
    self.length = length
    self.content = content
    self.acknowledged = acknowledged
  }

  /// Whether two states belong to the same upload: only their locations and acknowledged bytes may differ.
  func isSameUpload(as other: StoredUpload) -> Bool {
    var same = self
    same.location = other.location
    same.acknowledged = other.acknowledged
    return same == other
  }
}

/// The checkpoint of an upload under a name in a store.
struct UploadCheckpoint: Sendable {
  let store: any CheckpointStore
  let name: String
  /// The name in messages.
  let path: String

  init(_ name: String, in store: any CheckpointStore) {
    self.store = store
    self.name = name
    path = name
  }

  /// Creates a checkpoint in a file.
  init(path: String) {
    var (folder, name) = (".", path[...])
    // A slash is a byte: with a combining mark after it, it is not equal to the character.
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folder = slash == path.startIndex ? "/" : String(path[..<slash])
      name = path[path.utf8.index(after: slash)...]
    }
    store = FileCheckpointStore(folder: folder)
    self.name = String(name)
    self.path = path
  }

  enum Content: Sendable {
    case nothing
    case upload(StoredUpload)
    /// No state of an upload; the error is that of the store, if it could not be read.
    case unusable(LupineError?)
  }

  func read() async -> Content {
    await BlockingWork.run { [self] in
      do throws(LupineError) {
        guard let data = try store.read(name), !data.isEmpty else { return .nothing }
        return StoredUpload(decoding: data).map { .upload($0) } ?? .unusable(nil)
      } catch {
        return .unusable(error)
      }
    }
  }

  func write(_ upload: StoredUpload) async throws(LupineError) {
    guard let data = try? JSONEncoder().encode(upload) else { return }
    try await BlockingWork.run { [self] () throws(LupineError) in try store.write(data, to: name) }
  }

  func remove() async { await BlockingWork.run { [self] in try? store.remove(name) } }

  /// The error for a content that cannot be used.
  func refusal(_ error: LupineError? = nil) -> LupineError {
    .uploadEnded(
      "\(path) is not a checkpoint of an upload of this release" + (error.map { " (\($0.message))" } ?? "")
        + "; remove it, or choose another name.")
  }
}
