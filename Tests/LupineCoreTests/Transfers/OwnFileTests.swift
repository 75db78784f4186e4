import Glibc
import LupineFixtures
import Testing

@testable import LupineCore
@testable import LupineTransfers

@Suite struct OwnFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `an open file that has lost its name, or whose name another has, is left alone`() throws {
    try folder.write("abc", to: "a")
    let (descriptor, length) = try #require(OwnFile.open(folder.file("a"), O_RDWR))
    defer { close(descriptor) }
    #expect(length == 3)
    #expect(OwnFile.length(of: descriptor, at: folder.file("a")) == 3)
    rename(folder.file("a"), folder.file("b"))
    #expect(OwnFile.length(of: descriptor, at: folder.file("a")) == nil)
    try folder.write("other", to: "a")
    #expect(OwnFile.length(of: descriptor, at: folder.file("a")) == nil)
  }

  @Test(arguments: ["a\0", "missing", "/dev/null", "pipe"])
  func `an entry that is no file is not changed`(name: String) throws {
    try folder.write("abc", to: "a")
    mkfifo(folder.file("pipe"), 0o600)
    let path = name.hasPrefix("/") ? name : folder.file(name)
    #expect(OwnFile.open(path, O_RDWR) == nil)
  }

  @Test(
    arguments: [
      (0o600, 0o600, true), (0o644, 0o600, true), (0o666, 0o600, false), (0o620, 0o600, false), (0o777, 0o777, true),
      (0o777, 0o755, false), (0o775, 0o775, true), (0o666, nil, false),
    ] as [(mode_t, mode_t?, Bool)])
  func `a file that others may write counts only if the file system stores no modes`(
    mode: mode_t, new: mode_t?, isAlone: Bool
  ) {
    #expect(OwnFile.isAlone(mode, beside: { new }) == isAlone)
  }
}
