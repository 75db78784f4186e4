import Glibc

/// A file that is being written beside its destination, readable by its owner alone until it is complete.
final class PartialFile: Sendable {
  let path: String
  let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Makes a new file with a name nobody can guess, in the destination's own folder.
  static func create(beside destination: String?) throws(LupineError) -> PartialFile {
    let base = destination.map { hidden($0) } ?? temporaryFolder + "/lupine-download"
    let path = base + "." + String(UInt64.random(in: .min ... .max), radix: 36)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure.error("cannot be created", path) }
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    return PartialFile(path: path, descriptor: descriptor)
  }

  /// Opens one that an earlier download left; `nil` where it is gone, is no file of this user's alone, is shorter than it
  /// was, or where another download has it.
  ///
  /// - Parameter length: what is to be kept of it; `nil` keeps it all.
  static func reopen(_ path: String, length: Int64?) -> PartialFile? {
    guard let (descriptor, present) = OwnFile.open(path, O_RDWR) else { return nil }
    let file = PartialFile(path: path, descriptor: descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    guard let length else { return file }
    return present >= length && ftruncate(descriptor, off_t(length)) == 0 ? file : nil
  }

  /// The file's length in bytes.
  var length: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Cuts the file to a length.
  func truncate(to length: Int64) throws(LupineError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw Failure.error("cannot be cut", path) }
  }

  func remove() { unlink(path) }

  /// Brings the file's bytes to its disk, off the caller's actor, so that no name ever stands for less than all of them.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`; what the file holds then is not certain.
  @concurrent
  func synchronize() async throws(LupineError) {
    guard fsync(descriptor) == 0 else { throw Failure.error("cannot be brought to its disk", path) }
  }

  /// Moves the complete file to its destination, in one step.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, as where a file is there that must not be replaced; the file then stays
  ///   where it was, its owner's alone.
  func move(to destination: String, replacing: Bool) throws(LupineError) {
    let mode = 0o666 & ~FileMode.mask
    guard fchmod(descriptor, mode) == 0 else { throw Failure.error("cannot be given its mode", path) }
    guard replacing ? rename(path, destination) == 0 : ExclusiveRename.rename(path, to: destination)
    else {
      let error = Failure.error("cannot be put in its place", destination)
      _ = fchmod(descriptor, 0o600)
      throw error
    }
  }

  /// The name with a dot before it, in the same folder.
  private static func hidden(_ destination: String) -> String {
    guard let slash = destination.lastIndex(of: "/") else { return "." + destination }
    return destination[...slash] + "." + destination[destination.index(after: slash)...]
  }

  private static var temporaryFolder: String {
    getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  enum Failure {
    static func error(_ what: String, _ path: String, _ number: Int32 = errno) -> LupineError {
      LupineError(.fileFailed, "The file \(path) \(what): \(String(cString: strerror(number))).")
    }
  }
}

/// The mode that new files of this process get.
enum FileMode {
  /// The process's mask, read without changing it.
  static var mask: mode_t {
    guard let file = fopen("/proc/self/status", "r") else { return 0o022 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = line.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard text.hasPrefix("Umask:") else { continue }
      return mode_t(text.dropFirst(6).trimmingBlanks().prefix { $0.isNumber }, radix: 8) ?? 0o022
    }
    return 0o022
  }
}
