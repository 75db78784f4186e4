import LupineCore
import LupineSQLiteConnection

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension StoreFolder {
  /// Opens the folder of a store of responses, and creates it if it is missing.
  ///
  /// | name | content |
  /// |---|---|
  /// | `responses.sqlite`, `-wal`, `-shm` | the database |
  /// | `contents` | a folder with a file for each large content |
  /// | `lock` | locked while a process opens the database or replaces it |
  /// | `secret` | the store's secret; see `SecretFile` |
  /// | `….aside-1` to `….aside-9` | files that were damaged or not of a store |
  init(at folder: String) throws(LupineError) {
    try self.init(at: folder, database: "responses", for: "store of responses")
  }

  /// Opens the folder of the contents, and creates it if it is missing.
  func contents() throws(LupineError) -> ContentsFolder {
    let path = path + "/contents"
    if let status = FileStatus.of(path), !status.isFolder || !status.isOwn { try setAside(path) }
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw LupineError.file("cannot be created", path, code: errno) }
    guard let folder = Descriptor(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
      throw LupineError.file("cannot be opened", path, code: errno)
    }
    return ContentsFolder(path: path, folder)
  }
}
