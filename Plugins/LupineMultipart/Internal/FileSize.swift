import Glibc
import LupineCore

/// The size of a file, by its path.
enum FileSize {
  /// The size in bytes of a regular file that can be opened for reading.
  static func ofReadable(_ path: String) throws(LupineError) -> Int64 {
    guard !path.utf8.contains(0) else {
      throw LupineError(.bodyFailed, "a file's path cannot contain a NUL byte.")
    }
    // Without the flag, opening a named pipe waits for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("cannot be opened", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("cannot be examined", path) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw LupineError(.bodyFailed, "\(path) is a folder, not a file.")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LupineError(.bodyFailed, "\(path) is not a regular file; send it as a stream.")
    }
    return Int64(status.st_size)
  }

  private static func failure(_ what: String, _ path: String) -> LupineError {
    LupineError(.bodyFailed, "the file \(path) \(what): \(String(cString: strerror(errno))).")
  }
}
