import LupineFixtures
import Testing

@testable import LupineCore
@testable import LupineTransfers

@Suite struct FileSystemTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `files are renamed within a file system, also to folders that are to be made`() throws {
    try folder.write("", to: "inner/a")
    #expect(FileSystem.isShared(folder.file("a"), folder.file("b")))
    #expect(FileSystem.isShared(folder.file("a"), folder.file("inner/a")))
    #expect(FileSystem.isShared(folder.file("a"), folder.file("x/y/a")))
  }

  @Test func `files are not renamed to another file system, also to folders that are to be made`() {
    #expect(!FileSystem.isShared(folder.file("a"), "/proc/a"))
    #expect(!FileSystem.isShared("/proc/a", folder.file("x/y/a")))
    #expect(!FileSystem.isShared(folder.file("a"), "/proc/x/y/a"))
  }

  @Test(arguments: [("a", "."), ("/a", "/"), ("/a/b", "/a"), ("a/b", "a"), ("/a/b/c", "/a/b")])
  func `the parent folder of a path`(path: String, folder: String) {
    #expect(Folder.above(path) == folder)
  }
}
