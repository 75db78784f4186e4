import FoundationEssentials
import Glibc
import LupineFixtures

/// A file system beside that of the temporary folder, which Linux has in memory.
enum OtherFileSystem {
  private static let path = "/dev/shm"

  static let isThere: Bool = {
    var (here, there) = (stat(), stat())
    return stat(FileManager.default.temporaryDirectory.path, &here) == 0 && stat(path, &there) == 0
      && here.st_dev != there.st_dev && access(path, W_OK | X_OK) == 0
  }()

  static func folder() throws -> TemporaryFolder { try TemporaryFolder(in: path) }
}
