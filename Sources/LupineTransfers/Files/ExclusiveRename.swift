import Glibc

/// Renames a file where nothing has the new name, in one step.
enum ExclusiveRename {
  private typealias Call =
    @Sendable @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

  /// The C library declares it for GNU's dialect of C alone, which Swift does not read.
  private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Call.self) }
  /// `RENAME_NOREPLACE`.
  private static let isExclusive: UInt32 = 1

  /// False with `errno` where the file keeps its name; `EEXIST` where the new one is taken.
  static func rename(_ path: String, to destination: String) -> Bool {
    if let renameat2 {
      if renameat2(AT_FDCWD, path, AT_FDCWD, destination, isExclusive) == 0 { return true }
      guard errno == EINVAL || errno == ENOSYS else { return false }
    }
    // File systems that cannot rename so, as NFS, know hard links, which are not made over another name either.
    guard link(path, destination) == 0 else { return false }
    unlink(path)
    return true
  }
}
