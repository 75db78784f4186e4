import Glibc

/// What tells whether a file is still what it was, without reading it.
///
/// Two writes in place that leave the same size within one tick of the file system's clock, some milliseconds on Linux,
/// look like one.
struct FileVersion: Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  /// When its bytes or its attributes were changed last, which no program can set back.
  private let changedSeconds: Int
  private let changedNanoseconds: Int

  /// That of the file a path leads to, through links; `nil` where it cannot be examined.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    size = status.st_size
    changedSeconds = status.st_ctim.tv_sec
    changedNanoseconds = status.st_ctim.tv_nsec
  }
}
