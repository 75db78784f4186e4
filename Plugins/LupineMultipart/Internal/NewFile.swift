import Glibc
import LupineCore

/// Owns a newly created file with permissions for its owner only, open for writing.
struct NewFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(LupineError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw LupineError.file("cannot be written", path, code: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if let error = bytes.write(to: descriptor) { throw LupineError.file("cannot be written", path, code: error) }
  }

  func remove() { unlink(path) }
}
