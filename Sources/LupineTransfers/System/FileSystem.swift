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

/// The file system of a folder, identified by its mount.
struct FileSystem {
  private let device: dev_t
  /// The mount's number; 0 if the system does not report it.
  ///
  /// If a file system is mounted twice, as in containers, a file cannot be renamed from one mount to the other.
  private let mount: Int

  /// Whether files can be renamed from one path's folder to the other's; true if it is unknown.
  static func isShared(_ path: String, _ other: String) -> Bool {
    let (folder, second) = (Folder.above(path), Folder.above(other))
    guard folder != second, let one = FileSystem(of: folder), let two = FileSystem(of: second) else { return true }
    return one.device == two.device && (one.mount == two.mount || one.mount == 0 || two.mount == 0)
  }

  /// Finds the file system of a folder, or of its nearest existing ancestor.
  private init?(of folder: String) {
    var folder = folder
    var status = stat()
    while stat(folder, &status) != 0 {
      guard errno == ENOENT, folder != "/", folder != "." else { return nil }
      folder = Folder.above(folder)
    }
    device = status.st_dev
    mount = Self.mount(of: folder)
  }

  private static func mount(of folder: String) -> Int {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    return ProcessFile.value(of: "mnt_id:", in: "fdinfo/\(descriptor)").flatMap { Int($0) } ?? 0
  }
}

/// Renames a file atomically if the new name does not exist.
enum ExclusiveRename {
  private typealias Call =
    @Sendable @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

  /// `renameat2`, looked up at run time because the C library declares it only with GNU extensions, which Swift does
  /// not import.
  private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Call.self) }
  /// `RENAME_NOREPLACE`.
  private static let isExclusive: UInt32 = 1

  /// Renames the file; returns false and sets `errno` on failure, with `EEXIST` if the new name exists.
  static func rename(_ path: String, to destination: String) -> Bool {
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

/// A file in which the system describes this process, one name on each line.
enum ProcessFile {
  /// Returns the text after a name; `nil` if the system does not report it.
  static func value(of name: String, in path: String) -> String? {
    guard let file = fopen("/proc/self/" + path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = line.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard text.hasPrefix(name) else { continue }
      return String(text.dropFirst(name.count).trimmingBlanks().prefix { $0.isNumber })
    }
    return nil
  }
}

/// The mode of new files of this process.
enum FileMode {
  /// The process's umask, read without changing it.
  static var mask: mode_t {
    ProcessFile.value(of: "Umask:", in: "status").flatMap { mode_t($0, radix: 8) } ?? 0o022
  }
}
