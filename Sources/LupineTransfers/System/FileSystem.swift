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
