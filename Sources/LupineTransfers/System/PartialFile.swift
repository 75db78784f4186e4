import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is written beside its destination; only its owner may read it until it is complete.
///
/// Its name is a dot, the name of the destination, a dot and random characters. Until the file can be resumed, the name
/// also has the suffix of `OrphanedFiles`. If the process ends before, a later download removes the file.
final class PartialFile: Sendable {
  private let name: Mutex<String>
  let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    name = Mutex(path)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The current path of the file.
  var path: String { name.withLock { $0 } }

  /// Makes a new file with an unpredictable name, in the destination's folder.
  static func create(beside destination: String?) throws(LupineError) -> PartialFile {
    if let destination { try Folder.checkName(destination) }
    let base = destination.map { hidden($0) } ?? temporaryFolder + "/" + OrphanedFiles.temporaryPrefix
    OrphanedFiles.removeOnce(in: Folder.above(base))
    while true {
      let path = OrphanedFiles.path(base)
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw LupineError.file("cannot be created", path, code: errno) }
      let file = PartialFile(path: path, descriptor: descriptor)
      let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      // Another process may have taken the file for an orphan before it was locked.
      if isLocked ? access(path, F_OK) == 0 : errno != EWOULDBLOCK { return file }
    }
  }

  /// Removes the suffix of `OrphanedFiles` from the name, so that no later download removes the file.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`; the file then keeps its name.
  func keep() throws(LupineError) {
    let path = path
    guard let lasting = OrphanedFiles.lastingPath(of: path) else { return }
    guard rename(path, lasting) == 0 else {
      throw LupineError.file("cannot be renamed", path, code: errno)
    }
    name.withLock { $0 = lasting }
  }

  /// Returns the mode of a new file for its owner alone in a path's folder; `nil` if no file can be made.
  static func modeOfNew(beside path: String) -> mode_t? {
    guard let file = try? create(beside: path) else { return nil }
    defer { file.remove() }
    var status = stat()
    return fstat(file.descriptor, &status) == 0 ? status.st_mode : nil
  }

  /// Opens the partial file of an earlier download.
  ///
  /// Returns `nil` if the file is gone, is not of this user alone, is shorter than before, or is locked by another
  /// download.
  ///
  /// - Parameter length: the number of bytes to keep; `nil` keeps all of them.
  static func reopen(_ path: String, length: Int64?) -> PartialFile? {
    guard let (descriptor, _) = OwnFile.open(path, O_RDWR) else { return nil }
    let file = PartialFile(path: path, descriptor: descriptor)
    // The previous holder of the lock may have shortened or moved the file after it was opened here.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let present = OwnFile.length(of: descriptor, at: path) else {
      return nil
    }
    guard let length else { return file }
    return present >= length && ftruncate(descriptor, off_t(length)) == 0 ? file : nil
  }

  /// Whether there is such a file that no other user can have written.
  static func exists(_ path: String) -> Bool { length(at: path) != nil }

  /// The length of such a file that no other user can have written; `nil` if there is none.
  ///
  /// The check takes no lock, so a download that opens the file at the same time succeeds.
  static func length(at path: String) -> Int64? {
    guard let (descriptor, length) = OwnFile.open(path, O_RDWR) else { return nil }
    close(descriptor)
    return length
  }

  /// The file's length in bytes.
  var length: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Returns the bytes from an offset; empty if they cannot be read.
  func bytes(from offset: Int64, limit: Int64) -> Data {
    var data = Data(count: Int(clamping: max(0, min(limit, length - offset))))
    let (count, _) = data.withUnsafeMutableBytes { $0.fill(from: descriptor, at: offset) }
    return data.prefix(count)
  }

  /// Returns the first bytes of the file; fewer if the file is shorter.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be read.
  func data(count: Int64) throws(LupineError) -> Data {
    var data = Data(count: Int(clamping: count))
    let (found, error) = data.withUnsafeMutableBytes { $0.fill(from: descriptor, at: 0) }
    if let error { throw LupineError.file("cannot be read", path, code: error) }
    return data.prefix(found)
  }

  /// Truncates the file to a length.
  func truncate(to length: Int64) throws(LupineError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw LupineError.file("cannot be truncated", path, code: errno)
    }
  }

  /// Removes the file.
  func remove() { unlink(path) }

  /// Flushes the file to its disk, so that the final name never refers to an incomplete file.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`; the content of the file is then uncertain.
  func synchronize() async throws(LupineError) {
    try await BlockingWork.run { [self] () throws(LupineError) in
      guard fsync(descriptor) == 0 else { throw LupineError.file("cannot be flushed to its disk", path, code: errno) }
    }
  }

  /// Reads the file to its end, one piece at a time, on a thread that may wait for the disk.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be read, of kind `cancelled` if the task is
  ///   cancelled meanwhile, and what the closure throws.
  func readAll<Value: Sendable>(
    into first: Value,
    _ take:
      @escaping @Sendable (
        inout Value, _ piece: UnsafeRawBufferPointer, _ offset: Int64
      ) throws(LupineError) -> Void
  ) async throws(LupineError) -> Value {
    var (value, position): (Value, Int64?) = (first, 0)
    while let offset = position {
      guard !Task.isCancelled else { throw LupineError(.cancelled, "The request was cancelled.") }
      let before = value
      (value, position) = try await BlockingWork.run { [self] () throws(LupineError) in
        var value = before
        let count = try read(at: offset) { (piece) throws(LupineError) in try take(&value, piece, offset) }
        return (value, count == 0 ? nil : offset + Int64(count))
      }
    }
    return value
  }

  /// Reads a piece of at most 1 MiB; returns its length, which is 0 at the end of the file.
  private func read(
    at offset: Int64, _ take: (UnsafeRawBufferPointer) throws(LupineError) -> Void
  ) throws(LupineError) -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
    defer { buffer.deallocate() }
    let (count, error) = buffer.fill(from: descriptor, at: offset)
    if let error { throw LupineError.file("cannot be read", path, code: error) }
    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  /// Makes a copy beside another destination and flushes it to its disk.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, for example if that disk is full, and of kind `cancelled`; the copy
  ///   is then removed.
  func copied(beside destination: String) async throws(LupineError) -> PartialFile {
    let copy = try await BlockingWork.run { () throws(LupineError) in try PartialFile.create(beside: destination) }
    do throws(LupineError) {
      _ = try await readAll(into: ()) { (_, piece, offset) throws(LupineError) in
        guard let number = piece.write(to: copy.descriptor, at: offset) else { return }
        throw LupineError.file("cannot be written", copy.path, code: number)
      }
      try await copy.synchronize()
      return copy
    } catch {
      await BlockingWork.run { copy.remove() }
      throw error
    }
  }

  /// Moves the complete file to its destination atomically.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, for example if a file exists that must not be replaced; the partial
  ///   file then stays, readable by its owner alone.
  func move(to destination: String, replacing: Bool) throws(LupineError) {
    let mode = 0o666 & ~FileMode.mask
    guard fchmod(descriptor, mode) == 0 else { throw LupineError.file("cannot get its final mode", path, code: errno) }
    guard replacing ? rename(path, destination) == 0 : ExclusiveRename.rename(path, to: destination)
    else {
      let error = LupineError.file("cannot be moved into place", destination, code: errno)
      _ = fchmod(descriptor, 0o600)
      throw error
    }
  }

  /// Returns the name with a dot before it, in the same folder.
  ///
  /// The name is cut at the limit of file systems (255 bytes), because a suffix is appended.
  private static func hidden(_ destination: String) -> String {
    let (folder, name) = Folder.split(destination)
    return "\(folder).\(name.cut(toBytes: 200))"
  }

  private static var temporaryFolder: String {
    getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }
}
