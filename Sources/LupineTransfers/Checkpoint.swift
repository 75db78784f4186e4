import LupineCore
import LupineFoundation

/// The state that a later process needs to continue a download, under a name in a store.
///
/// The state holds the download's URL. It does not state how many bytes of the download were written: it is written
/// before the first byte arrives, without a length. A later download uses the actual length of the partial file: bytes
/// that a power failure removed are requested again, and if the checkpoint itself was removed, the download restarts.
/// The partial file of another version is truncated before the checkpoint is written; journaling file systems keep this
/// order. If a file system keeps a length whose bytes it has lost, only a digest detects it.
struct Checkpoint: Sendable {
  private let store: any CheckpointStore
  private let name: String
  /// The name of the checkpoint in messages: the path of its file, or its name in a store.
  let path: String

  init(_ name: String, in store: any CheckpointStore) {
    self.store = store
    self.name = name
    path = name
  }

  /// Creates a checkpoint in a file.
  init(path: String) {
    store = FileCheckpointStore(folder: Folder.above(path))
    name = String(Folder.split(path).name)
    self.path = path
  }

  /// The content that an earlier process left under the name.
  enum Content {
    case nothing
    /// An empty state, as a power failure may leave it; it can be overwritten without loss.
    case empty
    /// No state of a download, or one that other users can write.
    ///
    /// The error is that of the store, if it could not be read.
    case unusable(LupineError?)
    case state(ResumeState)
  }

  /// Reads the state.
  func read() -> Content {
    let data: Data
    do throws(LupineError) {
      guard let found = try store.read(name) else { return .nothing }
      data = found
    } catch {
      return .unusable(error)
    }
    if data.isEmpty { return .empty }
    return (try? ResumeState(decoding: data)).map { .state($0) } ?? .unusable(nil)
  }

  /// The message for a content that is not a usable checkpoint.
  ///
  /// - Parameter error: the error of the store, if it could not be read.
  func refusal(_ error: LupineError? = nil) -> String {
    "\(path) is not a checkpoint of this release that belongs to this user alone"
      + (error.map { " (\($0.message))" } ?? "")
  }

  /// Writes the state atomically: a process that ends meanwhile leaves the old state or the new one.
  func write(_ state: ResumeState) throws(LupineError) {
    if let data = state.encoded() { try store.write(data, to: name) }
  }

  func remove() { try? store.remove(name) }
}
