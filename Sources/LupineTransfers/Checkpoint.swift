import FoundationEssentials
import Glibc
import LupineCoding
import LupineCore

/// A small file with the state that a later process needs to continue a download.
///
/// The file holds the download's URL, so only its owner may read it.
struct Checkpoint: Sendable {
  /// The maximum size of a checkpoint in bytes; a larger file is no checkpoint.
  private static let maximumLength = 1 << 20
  let path: String

  /// What an earlier process left at the path.
  enum Content {
    case nothing
    /// An empty file of this user alone, as a power failure may leave it; it can be overwritten without loss.
    case empty
    /// A file that is no checkpoint, or that other users can write.
    case unusable
    case state(ResumeState)
  }

  /// Reads the file, which counts only if no other user can have written it.
  func read() -> Content {
    guard let (descriptor, length) = OwnFile.open(path, O_RDONLY) else {
      var status = stat()
      return lstat(path, &status) != 0 && errno == ENOENT ? .nothing : .unusable
    }
    defer { close(descriptor) }
    guard length > 0 else { return .empty }
    guard length < Self.maximumLength else { return .unusable }
    var data = Data(count: Int(length))
    let count = data.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count == Int(length), let state = try? ResumeState(decoding: data) else { return .unusable }
    return .state(state)
  }

  /// The message for a file at the path that is no usable checkpoint.
  var refusal: String { "what is at \(path) is no checkpoint of this release and of this user alone" }

  /// Writes the file atomically: a process that ends meanwhile leaves the old file or the new one.
  ///
  /// The file is not flushed to the disk (`fsync`), because it does not state how many bytes of the download were
  /// written. It is written before the first byte arrives, without a length. A later download uses the actual length of
  /// the partial file: bytes that a power failure removed are requested again, and a checkpoint that a power failure
  /// removed does not count. The partial file of another version is truncated before the checkpoint is written;
  /// journaling file systems keep this order. If a file system keeps a length whose bytes it has lost, only a digest
  /// detects it.
  func write(_ state: ResumeState) throws(LupineError) {
    guard let data = state.encoded() else { return }
    let file = try PartialFile.create(beside: path)
    var failure = data.withUnsafeBytes { $0.write(to: file.descriptor) }
    if failure == nil, rename(file.path, path) != 0 { failure = errno }
    guard let failure else { return }
    file.remove()
    throw LupineError.file("cannot be written", path, code: failure)
  }

  func remove() {
    guard !path.utf8.contains(0) else { return }
    unlink(path)
  }
}
