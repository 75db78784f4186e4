import LupineCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size, the modification time and the number of a file, which change if its content does.
struct FileVersion: Sendable, Hashable, Codable {
  var size: Int64
  var seconds: Int64
  var nanoseconds: Int64
  var inode: UInt64
  var device: UInt64

  /// Reads the version of a file, on a thread that waits for disks.
  ///
  /// - Throws: `LupineError` of kind `bodyFailed` if there is no such file, or if it is not a regular file.
  static func read(_ path: String) async throws(LupineError) -> FileVersion {
    try await BlockingWork.run { () throws(LupineError) in
      var status = stat()
      // The system would read the path up to its NUL and examine another file.
      let code = path.utf8.contains(0) ? EINVAL : stat(path, &status) == 0 ? 0 : errno
      guard code == 0 else { throw LupineError.file("cannot be examined", path, code: code, as: .bodyFailed) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw LupineError.file(path, code: EINVAL, as: .bodyFailed, message: "\(path) is not a regular file.")
      }
      #if canImport(Darwin)
        let modified = status.st_mtimespec
      #else
        let modified = status.st_mtim
      #endif
      return FileVersion(
        size: Int64(status.st_size), seconds: Int64(modified.tv_sec), nanoseconds: Int64(modified.tv_nsec),
        inode: UInt64(status.st_ino), device: UInt64(status.st_dev))
    }
  }
}
