public import LupineCore
public import LupineFoundation
import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps small states under names, so that a later process can continue what an earlier one began.
///
/// Downloads keep their resume state in a store (`DownloadRequest.checkpoint(_:in:as:otherwise:)`). A plugin can keep
/// states of its own, such as those of an upload queue, in any store. `FileCheckpointStore` keeps files; a program can
/// adopt the protocol to keep states elsewhere.
///
/// The methods may block. A download calls them one after another, on threads that may wait for disks
/// (`BlockingWork`), and holds no lock meanwhile. Several downloads may call one store at the same time.
/// Components that share a store must use different names.
public protocol CheckpointStore: Sendable {
  /// Returns the state under a name; `nil` if there is none.
  ///
  /// After a power failure a state may be empty: it is not used, but may be overwritten.
  ///
  /// - Throws: `LupineError` if the state cannot be read, or if the name holds something other than a state of this
  ///   store. It must not be overwritten then: a download continues without a checkpoint, or fails with kind
  ///   `resumeFailed` under the policy `ResumePolicy.fail`.
  func read(_ name: String) throws(LupineError) -> Data?

  /// Replaces the state under a name, or adds it.
  ///
  /// The change is atomic: a reader, also in a later process, finds the old state or the new one.
  ///
  /// - Throws: `LupineError` if the state cannot be written; a download then fails with it. The old state stays.
  func write(_ data: Data, to name: String) throws(LupineError)

  /// Removes the state under a name; does nothing if there is none.
  ///
  /// - Throws: `LupineError` if the state cannot be removed. A download ignores the error.
  func remove(_ name: String) throws(LupineError)
}

/// Keeps states as files of one folder.
///
/// A file belongs to the store if it is a regular file of this user that no other user can write, has one hard link,
/// and begins with the store's mark. Any other file is never overwritten and never removed, and a symbolic link is not
/// followed. Only the owner may read a file, because states may hold secrets, such as a signed URL. A file is written
/// under another name and then renamed. It is not flushed to its disk (`fsync`): after a power failure, the old state,
/// the new one or an empty one is found.
public struct FileCheckpointStore: CheckpointStore {
  /// The folder of the files.
  public let folder: String

  /// The maximum size of a state in bytes.
  static let maximumLength = 1 << 20
  /// The first line of each file, which distinguishes it from other files.
  private static let mark = Data("lupine checkpoint 1\n".utf8)

  /// Creates a store whose files are in a folder, which must exist when a state is written.
  public init(folder: String) { self.folder = folder }

  /// Returns the state in the file of that name; `nil` if there is no file, or if the name is not a valid file name.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be read or is not a state of this store.
  public func read(_ name: String) throws(LupineError) -> Data? {
    guard let path = path(of: name) else { return nil }
    guard let (descriptor, length) = OwnFile.open(path, O_RDONLY) else {
      var status = stat()
      if lstat(path, &status) != 0, errno == ENOENT { return nil }
      throw Self.foreign(path)
    }
    defer { close(descriptor) }
    guard length > 0 else { return Data() }
    guard length <= Self.mark.count + Self.maximumLength else { throw Self.foreign(path) }
    var data = Data(count: Int(length))
    let (count, error) = data.withUnsafeMutableBytes { $0.fill(from: descriptor, at: 0) }
    if let error { throw LupineError.file("cannot be read", path, code: error) }
    guard count == data.count, data.starts(with: Self.mark) else { throw Self.foreign(path) }
    return Data(data.dropFirst(Self.mark.count))
  }

  /// Replaces the state in the file of that name, or makes the file.
  ///
  /// - Parameters:
  ///   - data: the state, of at most 1 MiB.
  ///   - name: the name of the file: not empty, without slash and zero byte, neither `.` nor `..`.
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be written, if the name or the size is invalid, or
  ///   if the existing file is not a state of this store.
  public func write(_ data: Data, to name: String) throws(LupineError) {
    guard let path = path(of: name) else {
      throw LupineError.file(
        name, code: EINVAL, message: "The checkpoint name \(name.debugDescription) is not a valid file name.")
    }
    guard data.count <= Self.maximumLength else {
      throw LupineError.file(path, code: EFBIG, message: "The checkpoint \(path) would have more than 1 MiB.")
    }
    _ = try read(name)
    let file = try PartialFile.create(beside: path)
    var failure = (Self.mark + data).withUnsafeBytes { $0.write(to: file.descriptor) }
    if failure == nil, rename(file.path, path) != 0 { failure = errno }
    guard let failure else { return }
    file.remove()
    throw LupineError.file("cannot be written", path, code: failure)
  }

  /// Removes the file of that name.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be removed or is not a state of this store.
  public func remove(_ name: String) throws(LupineError) {
    guard let path = path(of: name), try read(name) != nil else { return }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw LupineError.file("cannot be removed", path, code: errno)
    }
  }

  private func path(of name: String) -> String? {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
    else { return nil }
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func foreign(_ path: String) -> LupineError {
    LupineError.file(
      path, code: EEXIST, message: "\(path) is not a checkpoint of this release that belongs to this user alone.")
  }
}
