public import LupineCore
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

/// The folder of a database and its files.
///
/// | name | content |
/// |---|---|
/// | `NAME.sqlite`, `-wal`, `-shm` | the database |
/// | `lock` | locked while a process opens the database or replaces it |
/// | `….aside-1` to `….aside-9` | files that were damaged or not of this module |
public struct StoreFolder: Sendable {
  /// The path without symbolic links, which SQLite would refuse.
  public let path: String
  private let name: String

  /// The path of the database.
  public var database: String { "\(path)/\(name).sqlite" }

  /// Creates the folder if it is missing, readable by its owner alone.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if the folder belongs to another user or others can write it:
  ///   they could replace the files.
  ///
  /// - Parameters:
  ///   - folder: the path.
  ///   - name: the name of the database.
  ///   - purpose: the owner of the folder in messages, such as `store of responses`.
  public init(at folder: String, database name: String, for purpose: String) throws(LupineError) {
    guard !folder.isEmpty, !folder.utf8.contains(0) else {
      throw LupineError.file(
        folder, code: EINVAL, message: "The path \(folder.debugDescription) names no folder for a \(purpose).")
    }
    var prefix = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      prefix += "/" + part
      if mkdir(prefix, 0o700) != 0, errno != EEXIST, FileStatus.of(prefix) == nil {
        throw LupineError.file("cannot be created", prefix, code: errno)
      }
    }
    guard let resolved = realpath(folder, nil) else {
      throw LupineError.file("cannot be opened", folder, code: errno)
    }
    defer { free(resolved) }
    path = String(cString: resolved)
    self.name = name
    guard let status = FileStatus.of(path), status.isFolder, status.isOwn else {
      throw LupineError.file(
        path, code: EACCES,
        message: "\(path) is not a folder that only this user can write; use another folder for the \(purpose).")
    }
  }

  /// Runs code while no other process opens or replaces the database.
  ///
  /// - Throws: `LupineError` with `isStoreLocked`, at once, if another process holds the lock.
  public func whileLocked<Value>(_ work: () throws(LupineError) -> Value) throws(LupineError) -> Value {
    let path = path + "/lock"
    try clear(path)
    guard let file = Descriptor(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)) else {
      throw LupineError.file("cannot be locked", path, code: errno)
    }
    guard file.lock() else {
      guard errno == EWOULDBLOCK else { throw LupineError.file("cannot be locked", path, code: errno) }
      throw LupineError(.fileFailed, "\(path) is locked by another process.", underlying: StoreLocked())
    }
    let result = Result { () throws(LupineError) in try work() }
    file.unlock()
    return try result.get()
  }

  /// Runs code as `whileLocked(_:)` does; while another process holds the lock, tries again every 10 milliseconds.
  ///
  /// The calling thread waits meanwhile.
  ///
  /// - Parameter tries: the maximum number of tries.
  public func whileLocked<Value>(
    tries: Int, _ work: () throws(LupineError) -> Value
  ) throws(LupineError) -> Value {
    for _ in 1..<max(1, tries) {
      do throws(LupineError) { return try whileLocked(work) } catch {
        guard error.isStoreLocked else { throw error }
      }
      // Waits for 10 milliseconds, because there is no descriptor to wait for.
      _ = poll(nil, 0, 10)
    }
    return try whileLocked(work)
  }

  /// Moves files of the database aside that are not this user's own, and creates an empty database if there is none.
  ///
  /// SQLite gives its other files the mode of the database.
  public func prepareDatabase() throws(LupineError) {
    for ending in ["", "-wal", "-shm"] { try clear(database + ending) }
    guard let status = FileStatus.of(database) else {
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      guard Descriptor(open(database, flags, 0o600)) != nil else {
        throw LupineError.file("cannot be created", database, code: errno)
      }
      return
    }
    // An existing database is not opened here: closing it would release the locks of this process (POSIX).
    if status.isReadableByOthers { chmod(database, 0o600) }
  }

  /// Moves the database aside, and removes its other files.
  public func setDatabaseAside() throws(LupineError) {
    try setAside(database)
    // The log belongs to the database that was moved, and would damage a new one.
    for ending in ["-wal", "-shm"] { try remove(database + ending) }
  }

  /// Moves the database aside together with its log, so that what is left of both can be read.
  ///
  /// - Returns: the new path; `nil` if there was no database.
  public func setDatabaseAsideWithLog() throws(LupineError) -> String? {
    let name = nameAside(of: database)
    for ending in ["-wal", "-shm"] { unlink(name + ending) }
    let isThere = try move(database, to: name)
    _ = try move(database + "-wal", to: name + "-wal")
    try remove(database + "-shm")
    return isThere ? name : nil
  }

  /// Moves a file aside that is not a regular file of this user alone.
  public func clear(_ path: String) throws(LupineError) {
    if let status = FileStatus.of(path), !status.isOwnFile { try setAside(path) }
  }

  /// Renames a file, so that its name is free.
  ///
  /// Nine files of a name are kept; the ninth is replaced.
  public func setAside(_ path: String) throws(LupineError) { _ = try move(path, to: nameAside(of: path)) }

  private func nameAside(of path: String) -> String {
    let names = (1...9).map { "\(path).aside-\($0)" }
    return names.first { FileStatus.of($0) == nil } ?? names[8]
  }

  /// Returns false if there is no file.
  private func move(_ path: String, to name: String) throws(LupineError) -> Bool {
    if rename(path, name) == 0 { return true }
    guard errno == ENOENT else { throw LupineError.file("cannot be moved aside", path, code: errno) }
    return false
  }

  private func remove(_ path: String) throws(LupineError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw LupineError.file("cannot be removed", path, code: errno) }
  }
}

extension StoreFolder {
  /// The number of bytes that the file system has left for this user.
  public var freeBytes: Int64 {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return 0 }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}

/// Another process has the lock of a folder.
public struct StoreLocked: Error {}

extension LupineError {
  /// Whether another process has the lock of the folder or of the database, so that a later try may succeed.
  public var isStoreLocked: Bool { underlying is StoreLocked || (underlying as? SQLiteFailure)?.isLocked ?? false }
}
