public import LupineCore
import LupineFoundation
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

extension LupineError.Kind {
  /// A recording cannot be made, for the reason in the message.
  public static let recordingFailed = LupineError.Kind.plugin("recordingFailed")
}

/// Calls the system's `open`, which a method of the same name hides.
private func openDescriptor(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

/// The file of a recording under way, which one recording at a time writes.
///
/// The calls may block, and do not overlap.
final class JournalFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Opens or creates the file, and locks it.
  ///
  /// - Throws: kind `recordingFailed` if another recording has the lock; kind `fileFailed` if the file cannot be opened.
  static func create(_ path: String) throws(LupineError) -> JournalFile { try open(path, O_CREAT) }

  /// Opens the file of a recording that was killed, and locks it.
  ///
  /// - Throws: as `create(_:)`; kind `fileFailed` if there is none.
  static func reopen(_ path: String) throws(LupineError) -> JournalFile { try open(path, 0) }

  private static func open(_ path: String, _ flags: Int32) throws(LupineError) -> JournalFile {
    while true {
      let file = try JournalFile(path, flags)
      try file.lock()
      // The former owner may have removed the file between the opening and the lock.
      if file.isNamed { return file }
    }
  }

  private init(_ path: String, _ flags: Int32) throws(LupineError) {
    self.path = path
    let isPath = !path.utf8.contains(0)
    descriptor = isPath ? openDescriptor(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags) : -1
    let code = isPath ? errno : EINVAL
    guard descriptor >= 0 else { throw LupineError.file("cannot be opened", path, code: code) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private func lock() throws(LupineError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
    guard errno == EWOULDBLOCK else { throw LupineError.file("cannot be locked", path, code: errno) }
    throw LupineError(
      .recordingFailed,
      "Another test or process is recording into the cassette of \(path); give each recording a cassette of its own.")
  }

  /// Whether the path still names the open file.
  private var isNamed: Bool {
    var (open, named) = (stat(), stat())
    return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
      && open.st_dev == named.st_dev
  }

  /// Whether the file has no bytes.
  func isEmpty() throws(LupineError) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw LupineError.file("cannot be examined", path, code: errno) }
    return status.st_size == 0
  }

  /// Reads the whole file, or a part that is longer than the limit.
  func contents(limit: Int) throws(LupineError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while bytes.count <= limit {
      let (count, error) = piece.withUnsafeMutableBytes { $0.fill(from: descriptor, at: Int64(bytes.count)) }
      if let error { throw LupineError.file("cannot be read", path, code: error) }
      bytes += piece.prefix(count)
      if count < piece.count { break }
    }
    return bytes
  }

  /// Writes bytes at a position; after an error the file ends at that position again.
  func write(_ bytes: [UInt8], at position: Int64) throws(LupineError) {
    guard let error = bytes.withUnsafeBytes({ $0.write(to: descriptor, at: position) }) else { return }
    try? truncate(to: position)
    throw LupineError.file("cannot be written", path, code: error)
  }

  func truncate(to length: Int64) throws(LupineError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw LupineError.file("cannot be truncated", path, code: errno)
    }
  }

  /// Removes the file; the lock ends with this value.
  func remove() { if isNamed { unlink(path) } }
}
