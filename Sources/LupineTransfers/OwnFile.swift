import Glibc

/// Opens files that this user wrote, and nobody else could.
///
/// What a checkpoint says decides which file is written over and which is removed.
enum OwnFile {
  /// A descriptor of a regular file, for the caller to close, and its length in bytes.
  ///
  /// `nil` where there is none, and for a symbolic link, a file of another user, one that others may write, and one that
  /// has a second name.
  static func open(_ path: String, _ access: Int32) -> (descriptor: Int32, length: Int64)? {
    guard !path.utf8.contains(0) else { return nil }
    let descriptor = Glibc.open(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    guard let length = Self.length(of: descriptor, at: path) else {
      close(descriptor)
      return nil
    }
    return (descriptor, length)
  }

  /// The length of an open file; `nil` where it is no such file, or where another has come to its path.
  static func length(of descriptor: Int32, at path: String) -> Int64? {
    var status = stat()
    var named = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_nlink == 1, lstat(path, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev,
      isAlone(status.st_mode, beside: { PartialFile.modeOfNew(beside: path) })
    else { return nil }
    return Int64(status.st_size)
  }

  /// Whether a file's mode lets nobody else write, or says nothing: where the file system keeps no modes, as VFAT and some
  /// shared folders, a new file that is to be its owner's alone shows the same one.
  static func isAlone(_ mode: mode_t, beside modeOfNew: () -> mode_t?) -> Bool {
    let others = mode & (S_IWGRP | S_IWOTH)
    return others == 0 || modeOfNew().map { $0 & others == others } ?? false
  }
}
