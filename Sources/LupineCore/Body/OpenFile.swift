public import FoundationEssentials
import Glibc

/// Owns a descriptor of a regular file that is open for reading.
public struct OpenFile: ~Copyable, Sendable {
  private let path: String
  private let descriptor: Int32
  private let kind: LupineError.Kind

  /// - Parameter kind: what an error is. Default: `bodyFailed`.
  public init(reading path: String, orFailAs kind: LupineError.Kind = .bodyFailed) throws(LupineError) {
    self.path = path
    self.kind = kind
    // The system would read the path up to its NUL, and open another file.
    let isPath = !path.utf8.contains(0)
    // Opening a named pipe would wait for somebody who writes to it; `size()` refuses it.
    descriptor = isPath ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
    guard isPath else {
      throw LupineError.file(
        path, code: EINVAL, as: kind, message: "The path \(path.debugDescription) has a NUL byte, so it names no file.")
    }
    guard descriptor >= 0 else { throw LupineError.file("cannot be opened", path, as: kind) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The file's size in bytes.
  public func size() throws(LupineError) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw LupineError.file("cannot be examined", path, as: kind) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw LupineError.file(path, code: EISDIR, as: kind, message: "\(path) is a folder, not a file.")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let advice = kind == .bodyFailed ? "; send it as a stream" : ""
      throw LupineError.file(path, code: EINVAL, as: kind, message: "\(path) is not a regular file\(advice).")
    }
    return Int64(status.st_size)
  }

  /// Reads at a position; 0 is the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(LupineError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
      if count >= 0 { return count }
      if errno != EINTR { throw LupineError.file("cannot be read", path, as: kind) }
    }
  }

  /// Reads the first bytes, in memory as a whole; fewer where the file ends before.
  public func data(count: Int64) throws(LupineError) -> Data {
    var data = Data(count: Int(count))
    let (found, error) = data.withUnsafeMutableBytes { $0.fill(from: descriptor, at: 0) }
    if let error { throw LupineError.file("cannot be read", path, code: error, as: kind) }
    return found == data.count ? data : data.prefix(found)
  }
}
