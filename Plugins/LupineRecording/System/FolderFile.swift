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

/// An open regular file in the folder of a cassette.
final class FolderFile: Sendable {
  /// The path, for errors.
  let path: String
  /// The number of bytes when the file was opened.
  let length: Int64
  private let kind: LupineError.Kind
  private let descriptor: Int32

  /// Takes the descriptor over.
  init(_ descriptor: Int32, path: String, kind: LupineError.Kind) throws(LupineError) {
    self.descriptor = descriptor
    self.path = path
    self.kind = kind
    var status = stat()
    let result = fstat(descriptor, &status)
    let code = errno
    length = Int64(status.st_size)
    guard result == 0 else { throw LupineError.file("cannot be examined", path, code: code, as: kind) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LupineError.file(path, code: EINVAL, as: kind, message: "\(path) is not a regular file.")
    }
  }

  deinit { close(descriptor) }

  /// The path of the descriptor, under which this process can name a file that has no name.
  var descriptorPath: String { "/proc/self/fd/\(descriptor)" }

  /// Reads at a position; returns fewer bytes at the end of the file.
  func read(at position: Int64, count: Int) throws(LupineError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
      (found, failure) = UnsafeMutableRawBufferPointer(buffer).fill(from: descriptor, at: position)
    }
    if let failure { throw LupineError.file("cannot be read", path, code: failure, as: kind) }
    return bytes
  }

  /// Reads the file from its beginning to its end; the closure receives at most 1 MiB at once.
  func forEachPiece(_ use: ([UInt8]) throws(LupineError) -> Void) throws(LupineError) {
    var position: Int64 = 0
    while case let piece = try read(at: position, count: 1 << 20), !piece.isEmpty {
      try use(piece)
      position += Int64(piece.count)
    }
  }

  /// Writes all bytes at a position.
  func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(LupineError) {
    guard let code = bytes.write(to: descriptor, at: position) else { return }
    throw LupineError.file("cannot be written", path, code: code, as: kind)
  }

  /// Writes all bytes at a position.
  func write(_ bytes: [UInt8], at position: Int64) throws(LupineError) {
    let result = bytes.withUnsafeBytes { bytes in Result { () throws(LupineError) in try write(bytes, at: position) } }
    try result.get()
  }

  /// Cuts the file off.
  func truncate(to length: Int64) throws(LupineError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw LupineError.file("cannot be truncated", path, code: errno, as: kind)
    }
  }

  /// Locks the file against other processes and other values, until its end; returns false if another one has the lock.
  func lock() throws(LupineError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw LupineError.file("cannot be locked", path, code: errno, as: kind) }
    return false
  }

  /// Whether a status is that of this file.
  func isSame(as status: stat) -> Bool {
    var own = stat()
    return fstat(descriptor, &own) == 0 && own.st_ino == status.st_ino && own.st_dev == status.st_dev
  }

  /// Lets everyone read the file, and waits until its content is on the disk.
  func publish() throws(LupineError) {
    guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else {
      throw LupineError.file("cannot be written to the disk", path, code: errno, as: kind)
    }
  }
}
