import FoundationEssentials
import Glibc
import LupineFixtures

/// The file system in memory at `/dev/shm`, if the temporary folder is on another one.
enum OtherFileSystem {
  private static let path = "/dev/shm"

  static let isThere: Bool = {
    var (here, there) = (stat(), stat())
    return stat(FileManager.default.temporaryDirectory.path, &here) == 0 && stat(path, &there) == 0
      && here.st_dev != there.st_dev && access(path, W_OK | X_OK) == 0
  }()

  static func folder() throws -> TemporaryFolder { try TemporaryFolder(in: path) }
}
