import Glibc

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
