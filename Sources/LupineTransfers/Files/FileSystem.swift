import Glibc
import LupineSupport

/// The file system on which a folder lies, by way of the mount that leads to it.
struct FileSystem {
  private let device: dev_t
  /// The mount's number; 0 where the system does not tell.
  ///
  /// A file system that is mounted twice, as in containers, lets no file be renamed from one mount to the other.
  private let mount: Int

  /// Whether files can be renamed from the folder of one path to that of the other; true where nobody can tell.
  static func isShared(_ path: String, _ other: String) -> Bool {
    let (folder, second) = (Folder.above(path), Folder.above(other))
    guard folder != second, let one = FileSystem(of: folder), let two = FileSystem(of: second) else { return true }
    return one.device == two.device && (one.mount == two.mount || one.mount == 0 || two.mount == 0)
  }

  /// That of a folder, or of the nearest one above it that exists.
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

/// What the system says of this process, a line for each name.
enum ProcessFile {
  /// The text behind a name; `nil` where the system does not tell.
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
