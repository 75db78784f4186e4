#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Renames a file atomically if the new name does not exist.
public enum ExclusiveRename {
  private typealias Call =
    @Sendable @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

  /// `renameat2`, looked up at run time because the C library declares it only with GNU extensions, which Swift does
  /// not import.
  private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Call.self) }
  /// `RENAME_NOREPLACE`.
  private static let isExclusive: UInt32 = 1

  /// Renames the file; returns false and sets `errno` on failure, with `EEXIST` if the new name exists.
  public static func rename(_ path: String, to destination: String) -> Bool {
    if let renameat2 {
      if renameat2(AT_FDCWD, path, AT_FDCWD, destination, isExclusive) == 0 { return true }
      guard errno == EINVAL || errno == ENOSYS else { return false }
    }
    // A file system without this rename, such as NFS, supports hard links, which do not replace a file either.
    guard link(path, destination) == 0 else { return false }
    unlink(path)
    return true
  }
}
