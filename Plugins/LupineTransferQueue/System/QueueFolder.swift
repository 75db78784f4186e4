import LupineCore
import LupineSQLiteConnection
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

/// The folder of a queue and its files.
///
/// | name | content |
/// |---|---|
/// | `transfers.sqlite`, `-wal`, `-shm` | the database |
/// | `forms` | a folder with the body of each upload that is no file of the program |
/// | `lock` | locked while a process opens the database or replaces it |
/// | `runner` | locked while a process runs the transfers |
/// | `socket` | the socket of the process that runs the transfers, which others tell that they have changed the database |
/// | `service`, `service.lock` | the socket of a runner without a program, and the lock of that runner |
/// | `log` | what a detached runner and its commands print |
/// | `….aside-1` to `….aside-9` | files that were damaged or not of a queue |
struct QueueFolder: Sendable {
  let store: StoreFolder

  var path: String { store.path }
  var forms: String { path + "/forms" }

  /// Creates the folder if it is missing, for its owner alone.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the folder is a link, belongs to another user, can be written by
  ///   others, or is in a file system without locks.
  init(at folder: String) throws(LupineError) {
    var name = folder[...]
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    if FileStatus.of(String(name))?.isLink == true {
      throw LupineError.file(
        folder, code: ELOOP, message: "\(folder) is a symbolic link; name the folder of the queue itself.")
    }
    store = try StoreFolder(at: folder, database: "transfers", for: "queue of transfers")
    try Self.checkFileSystem(path)
    if FileStatus.of(path)?.isOpenToOthers == true, chmod(path, 0o700) != 0 {
      throw LupineError.file("cannot be closed to others", path, code: errno)
    }
    if let status = FileStatus.of(forms), !status.isFolder || !status.isOwn { try store.setAside(forms) }
    if mkdir(forms, 0o700) != 0, errno != EEXIST { throw LupineError.file("cannot be created", forms, code: errno) }
  }

  private typealias StatusCall = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> Int32

  /// The kinds of file system of networks, by `statfs(2)`: NFS, SMB 1, SMB 2, CIFS, AFS, Coda, 9P, Ceph, Lustre,
  /// GPFS and OCFS2.
  ///
  /// FUSE is no kind of its own: a file system of it may be local.
  private static let networks: Set<UInt32> = [
    0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x5346_414F, 0x7375_7245, 0x0102_1997, 0x00C3_6400, 0x0BD0_0BD0,
    0x4750_4653,
    0x7461_636F,
  ]

  /// Refuses the file systems of networks, whose locks and shared memory do not reach another machine.
  ///
  /// `statfs` is looked up at run time, because Swift does not import its header. The kind is the first word of its result.
  private static func checkFileSystem(_ path: String) throws(LupineError) {
    guard let call = dlsym(nil, "statfs").map({ unsafeBitCast($0, to: StatusCall.self) }) else { return }
    var result = [UInt](repeating: 0, count: 64)
    guard result.withUnsafeMutableBytes({ $0.baseAddress.map { call(path, $0) } ?? -1 }) == 0 else {
      throw LupineError.file("cannot be examined", path, code: errno)
    }
    guard networks.contains(UInt32(truncatingIfNeeded: result[0])) else { return }
    throw LupineError.file(
      path, code: ENOLCK, message: "\(path) is on a file system of a network; use a folder of a local one.")
  }

  /// Takes the lock of the runner until the descriptor is closed.
  ///
  /// - Returns: `nil` if another process has it.
  /// - Throws: `LupineError` of kind `fileFailed`, also if the file system has no locks.
  func takeRunnerLock() throws(LupineError) -> RunnerLock? { try takeLock("runner") }

  /// Takes the lock of a file until the descriptor is closed.
  ///
  /// - Returns: `nil` if another process has it.
  func takeLock(_ name: String) throws(LupineError) -> RunnerLock? {
    let file = "\(path)/\(name)"
    // A file with a second name stays: the process that has the lock would not notice another file in its place.
    if let status = FileStatus.of(file), !status.belongsToUser || status.isFolder || status.isLink {
      try store.setAside(file)
    }
    guard let descriptor = Descriptor(open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)) else {
      throw LupineError.file("cannot be opened", file, code: errno)
    }
    guard descriptor.lock() else {
      if errno == EWOULDBLOCK { return nil }
      throw LupineError.file(
        file, code: errno,
        message: "\(file) cannot be locked (\(String(cString: strerror(errno)))), so two processes could run the same "
          + "transfers; use a folder of a local file system.")
    }
    return RunnerLock(descriptor)
  }

  /// Refuses a database with a second name, as a copy of the folder by hard links makes it.
  ///
  /// It is not moved aside: a process may run its transfers, and whoever changes the copy changes the database.
  func refuseSecondNames() throws(LupineError) {
    for ending in ["", "-wal", "-shm"] {
      let file = store.database + ending
      guard let status = FileStatus.of(file), status.isOwn, !status.isOwnFile, !status.isFolder, !status.isLink else {
        continue
      }
      throw LupineError.file(
        file, code: EMLINK,
        message: "\(file) has a second name, such as that of a copy by hard links; remove the other name, or copy the "
          + "content in its place.")
    }
  }

  /// Gives a database that was cut the length of its header again, so that SQLite reads the pages that are left.
  static func restoreLength(of path: String) {
    guard let file = Descriptor(open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)),
      let size = file.status?.size, let header = header(of: file)
    else { return }
    let pageSize = header[16..<18].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let pages = header[28..<32].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let length = (pageSize == 1 ? 65_536 : pageSize) * pages
    // A length of more than a GiB is not believed.
    if size < length, length <= 1 << 30 { _ = ftruncate(file.number, off_t(length)) }
  }

  /// The header of a database; `nil` if the file has none.
  private static func header(of file: borrowing Descriptor) -> [UInt8]? {
    var header = [UInt8](repeating: 0, count: 100)
    let (count, error) = header.withUnsafeMutableBytes { $0.fill(from: file.number, at: 0) }
    return error == nil && count == header.count && header.starts(with: "SQLite format 3\0".utf8) ? header : nil
  }

  /// The version of the tables in the header of a database; 0 if the file has no such header.
  ///
  /// Only for a database that SQLite cannot read: closing the file releases the locks of this process (POSIX).
  var versionInHeader: UInt32 {
    guard let file = Descriptor(open(store.database, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) else { return 0 }
    guard let header = Self.header(of: file) else { return 0 }
    return header[60..<64].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Flushes the folder of a path, so that a new name in it survives a power failure.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`; not if the file system cannot flush a folder.
  static func flushFolder(above path: String) throws(LupineError) {
    var folder = "."
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folder = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    guard let descriptor = Descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
      // A folder that this user may write but not read.
      if errno == EACCES { return }
      throw LupineError.file("cannot be opened", folder, code: errno)
    }
    // A file system that cannot flush a folder says so with one of these.
    guard fsync(descriptor.number) != 0, errno != EINVAL, errno != ENOTSUP else { return }
    throw LupineError.file("cannot be flushed to its disk", folder, code: errno)
  }
}

/// The lock of the process that runs the transfers; released with this value.
final class RunnerLock: Sendable {
  private let file: Descriptor

  init(_ file: consuming Descriptor) { self.file = file }
}
