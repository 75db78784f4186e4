import LupineCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls the system's `open`, which a method of the same name hides.
private func openDescriptor(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

/// Opens files that this user wrote and no other user can write.
///
/// The check is needed because the content of a checkpoint decides which files are overwritten and removed.
enum OwnFile {
  /// Returns a descriptor of a regular file, which the caller closes, and its length in bytes.
  ///
  /// Returns `nil` if there is no such file, or if it is a symbolic link, a file of another user, a file that others
  /// may write, or a file with a second hard link.
  static func open(_ path: String, _ access: Int32) -> (descriptor: Int32, length: Int64)? {
    guard !path.utf8.contains(0) else { return nil }
    let descriptor = openDescriptor(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    guard let length = Self.length(of: descriptor, at: path) else {
      close(descriptor)
      return nil
    }
    return (descriptor, length)
  }

  /// Returns the length of an open file; `nil` if it does not belong to this user alone, or if another file is at its
  /// path.
  static func length(of descriptor: Int32, at path: String) -> Int64? {
    var status = stat()
    var named = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_nlink == 1, lstat(path, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev,
      isAlone(status.st_mode, beside: { PartialFile.modeOfNew(beside: path) })
    else { return nil }
    return Int64(status.st_size)
  }

  /// Whether the mode denies writing to other users, or has no meaning.
  ///
  /// Some file systems keep no modes, such as VFAT and some shared folders. A new file that is created for its owner
  /// alone then has the same mode.
  static func isAlone(_ mode: mode_t, beside modeOfNew: () -> mode_t?) -> Bool {
    let others = mode & (S_IWGRP | S_IWOTH)
    return others == 0 || modeOfNew().map { $0 & others == others } ?? false
  }
}
