import FoundationEssentials
import Glibc
import LupineCoding
import LupineCore

/// A small file that says how to go on with a download whose program has ended, for whatever reason.
///
/// It holds the download's URL, so only its owner may read it.
struct Checkpoint: Sendable {
  /// No checkpoint has as many bytes.
  private static let maximumLength = 1 << 20
  let path: String

  /// What an earlier program may have left.
  enum Content {
    case nothing
    /// A file of this user's alone without a byte, as a power cut may leave it: there is nothing to lose.
    case empty
    /// A file that is no checkpoint, or that others may have written.
    case unusable
    case state(ResumeState)
  }

  /// What there is; a file counts only where this user alone can have written it.
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

  /// What is against a file at the path that is none.
  var refusal: String { "what is at \(path) is no checkpoint of this release and of this user alone" }

  /// Writes the file in one step: a program that ends meanwhile leaves the old one or the new one.
  ///
  /// Nothing is brought to its disk for it, since it promises no bytes. It is written before the first of them, without a
  /// length, and what counts when the download goes on is the file's own: the end that a power cut took is asked for again,
  /// and a checkpoint that it took is none. The file of another version is emptied before the checkpoint says so, an order
  /// that journals keep. Where a file system keeps a length whose bytes it has lost, only a digest can tell.
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
