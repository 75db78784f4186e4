import LupineCore
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

/// Calls the system's `open` for a folder, which a method of the same name hides.
private func openFolder(_ path: String) -> Int32 {
  if path.utf8.contains(0) {
    errno = EINVAL
    return -1
  }
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
}

/// Opens a file of a folder, but no symbolic link.
private func openFile(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
  if name.utf8.contains(0) {
    errno = EINVAL
    return -1
  }
  return openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode)
}

/// A folder that is open, in which a cassette and the files of its bodies lie.
///
/// Names are relative to the open folder, and no symbolic link is followed, so that no name leads out of the folder. The
/// path of the folder itself may contain links. All calls block while the disk works.
final class CassetteFolder: Sendable {
  /// The path, for errors.
  let path: String
  private let descriptor: Int32

  /// Opens a folder.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  init(at path: String) throws(LupineError) {
    self.path = path
    descriptor = openFolder(path)
    guard descriptor >= 0 else { throw LupineError.file("cannot be opened", path, code: errno) }
  }

  /// Opens the folder of a cassette.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  convenience init(of cassette: String) throws(LupineError) { try self.init(at: Self.path(of: cassette)) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The path of the folder that a cassette lies in.
  static func path(of cassette: String) -> String {
    guard let slash = cassette.utf8.lastIndex(of: .slash) else { return "." }
    return slash == cassette.startIndex ? "/" : String(cassette[..<slash])
  }

  /// The part of a path after its last slash.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: .slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// Opens a regular file for reading.
  ///
  /// - Parameter kind: the kind of the errors.
  func open(_ name: String, as kind: LupineError.Kind) throws(LupineError) -> FolderFile {
    // Without O_NONBLOCK the opening of a named pipe would wait for a writer.
    try file(name, openFile(descriptor, name, O_RDONLY | O_NONBLOCK), as: kind)
  }

  /// Creates a file that only this user can read, open for writing and reading.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if the name exists.
  func create(_ name: String) throws(LupineError) -> FolderFile {
    try file(name, openFile(descriptor, name, O_RDWR | O_CREAT | O_EXCL, 0o600), as: .fileFailed)
  }

  /// Creates a file without a name, of which nothing is left when the process ends.
  ///
  /// - Returns: `nil` if the file system has no such files, or if the system has no `/proc`, in which they can be named.
  /// - Throws: `LupineError` of kind `fileFailed`.
  func createUnnamed() throws(LupineError) -> FolderFile? {
    #if canImport(Glibc)
      guard access("/proc/self/fd", X_OK) == 0 else { return nil }
      // The macro O_TMPFILE, which Swift does not import.
      let file = openFile(descriptor, ".", __O_TMPFILE | O_DIRECTORY | O_RDWR, 0o600)
      if file < 0, [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) { return nil }
      return try self.file("", file, as: .fileFailed)
    #else
      return nil
    #endif
  }

  /// Gives a name to a file that `createUnnamed()` created.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if the name exists.
  func link(_ file: FolderFile, as name: String) throws(LupineError) {
    guard linkat(AT_FDCWD, file.descriptorPath, descriptor, name, AT_SYMLINK_FOLLOW) == 0 else {
      throw LupineError.file("cannot be created", "\(path)/\(name)", code: errno)
    }
  }

  /// Opens a file for writing and reading, and creates it for this user alone if it is missing and `isNew` is true.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  func openToWrite(_ name: String, creating isNew: Bool) throws(LupineError) -> FolderFile {
    let flags = O_RDWR | O_NONBLOCK | (isNew ? O_CREAT : 0)
    return try file(name, openFile(descriptor, name, flags, 0o600), as: .fileFailed)
  }

  private func file(
    _ name: String, _ file: Int32, as kind: LupineError.Kind
  ) throws(LupineError) -> FolderFile {
    let code = errno
    let path = "\(self.path)/\(name)"
    if file < 0, code == ELOOP {
      throw LupineError.file(path, code: code, as: kind, message: "\(path) is a symbolic link, which is not followed.")
    }
    guard file >= 0 else { throw LupineError.file("cannot be opened", path, code: code, as: kind) }
    return try FolderFile(file, path: path, kind: kind)
  }

  /// Whether a name is still that of an open file.
  func isName(_ name: String, of file: FolderFile) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && file.isSame(as: status)
  }

  /// Gives a file another name, and replaces an existing file of that name atomically.
  func rename(_ name: String, to other: String) throws(LupineError) {
    guard renameat(descriptor, name, descriptor, other) == 0 else {
      throw LupineError.file("cannot be renamed to \(other)", "\(path)/\(name)", code: errno)
    }
  }

  /// Removes a file, if it exists.
  func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Waits until the names of the folder's files are on the disk.
  func synchronize() throws(LupineError) {
    // Some file systems cannot synchronize a folder, and say so.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw LupineError.file("cannot be written to the disk", path, code: errno)
    }
  }
}
