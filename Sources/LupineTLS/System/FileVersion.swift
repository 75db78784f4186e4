import LupineEventLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Identifies the version of a file without reading the file.
///
/// Two writes in place are not distinguished if they leave the same size and happen within one tick of the file
/// system's clock (some milliseconds on Linux).
struct FileVersion: Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  /// When the file's content or attributes last changed (`st_ctim`); programs cannot set this time.
  private let changedSeconds: Int
  private let changedNanoseconds: Int

  /// Reads the version of the file at a path, and follows links; `nil` if `stat` fails.
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

/// The permission to read a file.
enum FileAccess {
  /// Returns why a file cannot be read; `nil` if it can.
  static func readError(_ path: String) -> SystemError? { access(path, R_OK) == 0 ? nil : .last }
}
