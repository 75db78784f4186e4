#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns an open file or folder of the system.
public struct Descriptor: ~Copyable, Sendable {
  /// The system's number.
  public let number: Int32

  /// Takes the result of a call that opens a file; returns `nil` if the call has failed.
  public init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }

  /// The status of the file; `nil` if the system cannot tell it.
  public var status: FileStatus? {
    var status = stat()
    return fstat(number, &status) == 0 ? FileStatus(status) : nil
  }

  /// Locks the file until this descriptor is closed, also by the end of the process; does not wait.
  ///
  /// - Returns: whether the lock is held; if not, `errno` says why.
  public func lock() -> Bool {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  /// Releases the lock.
  public func unlock() { _ = flock(number, LOCK_UN) }
}

/// The status of a file.
public struct FileStatus: Sendable, Equatable {
  /// The number of bytes.
  public let size: Int64
  /// Whether it is a folder.
  public let isFolder: Bool
  /// Whether it is a regular file of this user, with one name, that no other user can write.
  public let isOwnFile: Bool
  /// Whether it belongs to this user, whoever can write it.
  public let belongsToUser: Bool
  /// Whether it belongs to this user, and no other user can write it.
  public let isOwn: Bool
  /// Whether other users can read it.
  public let isReadableByOthers: Bool
  /// Whether it is a symbolic link.
  public let isLink: Bool
  /// Whether other users can read, write or enter it.
  public let isOpenToOthers: Bool
  /// The number of the file in its file system.
  public let inode: UInt64
  /// The number of the file system.
  public let device: UInt64

  init(_ status: stat) {
    let kind = status.st_mode & S_IFMT
    size = Int64(status.st_size)
    isFolder = kind == S_IFDIR
    belongsToUser = status.st_uid == geteuid()
    isOwn = belongsToUser && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    isOwnFile = isOwn && kind == S_IFREG && status.st_nlink == 1
    isReadableByOthers = status.st_mode & (S_IRGRP | S_IROTH) != 0
    isLink = kind == S_IFLNK
    isOpenToOthers = status.st_mode & (S_IRWXG | S_IRWXO) != 0
    inode = UInt64(status.st_ino)
    device = UInt64(status.st_dev)
  }

  /// Whether both describe the same file.
  public func isSameFile(as other: FileStatus?) -> Bool { inode == other?.inode && device == other?.device }

  /// The file of a path, or the symbolic link itself; `nil` if there is none.
  public static func of(_ path: String) -> FileStatus? {
    var status = stat()
    return lstat(path, &status) == 0 ? FileStatus(status) : nil
  }
}
