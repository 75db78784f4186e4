import Glibc

/// Owns a descriptor of a regular file that is open for reading.
package struct OpenFile: ~Copyable, Sendable {
  private let path: String
  private let descriptor: Int32

  package init(reading path: String) throws(LupineError) {
    self.path = path
    // The system would read the path up to its NUL, and open another file.
    let isPath = !path.utf8.contains(0)
    // Opening a named pipe would wait for somebody who writes to it; `size()` refuses it.
    descriptor = isPath ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
    guard isPath else {
      throw LupineError(.bodyFailed, "The path \(path.debugDescription) has a NUL byte, so it names no file.")
    }
    guard descriptor >= 0 else { throw Self.failure("cannot be opened", path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The file's size in bytes.
  package func size() throws(LupineError) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("cannot be examined", path) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw LupineError(.bodyFailed, "\(path) is a folder, not a file.")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LupineError(.bodyFailed, "\(path) is not a regular file; send it as a stream.")
    }
    return Int64(status.st_size)
  }

  /// Reads at a position; 0 is the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(LupineError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
      if count >= 0 { return count }
      if errno != EINTR { throw Self.failure("cannot be read", path) }
    }
  }

  private static func failure(_ what: String, _ path: String) -> LupineError {
    LupineError(.bodyFailed, "The file \(path) \(what): \(String(cString: strerror(errno))).")
  }
}
