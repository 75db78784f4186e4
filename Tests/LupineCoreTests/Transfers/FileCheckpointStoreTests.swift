import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineTransfers
import Testing

@Suite struct FileCheckpointStoreTests {
  private let folder: TemporaryFolder
  private let store: FileCheckpointStore
  private let state = Data("state".utf8)

  init() throws {
    folder = try TemporaryFolder()
    store = FileCheckpointStore(folder: folder.path)
  }

  @Test func `a state is read as it was written, replaced and removed`() throws {
    #expect(try store.read("a") == nil)
    for text in ["one", "two", "", "three"] {
      try store.write(Data(text.utf8), to: "a")
      #expect(try store.read("a") == Data(text.utf8))
    }
    #expect(folder.names == ["a"])
    try store.remove("a")
    try store.remove("a")
    #expect(try store.read("a") == nil)
    #expect(folder.names.isEmpty)
  }

  @Test func `only the owner may read a state`() throws {
    try store.write(state, to: "a")
    let mode =
      try FileManager.default.attributesOfItem(atPath: folder.file("a"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `two names have two states`() throws {
    try store.write(Data("one".utf8), to: "a")
    try store.write(Data("two".utf8), to: "b")
    try store.remove("a")
    #expect(try store.read("b") == Data("two".utf8))
  }

  @Test func `an empty file holds an empty state, which is overwritten`() throws {
    try folder.write("", to: "a")
    #expect(try store.read("a") == Data())
    try store.write(state, to: "a")
    #expect(try store.read("a") == state)
  }

  /// Files under the name of a state that the store did not write, or that others may have changed.
  private static let foreigners: [(String, @Sendable (TemporaryFolder) throws -> Void)] = [
    ("another file", { try $0.write("a letter", to: "a") }),
    ("a folder", { try $0.write("a letter", to: "a/b") }),
    ("a link to a file", { symlink(try $0.write("a letter", to: "b"), $0.file("a")) }),
    ("a link to nothing", { symlink($0.file("b"), $0.file("a")) }),
    ("a named pipe", { mkfifo($0.file("a"), 0o600) }),
    (
      "a state that others may write",
      {
        try FileCheckpointStore(folder: $0.path).write(Data("state".utf8), to: "a")
        chmod($0.file("a"), 0o666)
      }
    ),
    (
      "a state with a second name",
      {
        try FileCheckpointStore(folder: $0.path).write(Data("state".utf8), to: "a")
        link($0.file("a"), $0.file("b"))
      }
    ),
    (
      "a file that is too large",
      { try $0.write("lupine checkpoint 1\n" + String(repeating: "x", count: 2 << 20), to: "a") }
    ),
  ]

  @Test(arguments: foreigners.indices)
  func `a file that the store did not write is neither read, overwritten nor removed`(index: Int) throws {
    let (name, make) = Self.foreigners[index]
    try make(folder)
    let before = folder.names
    let content = try? folder.text("b")
    let failures: [() throws -> Void] = [
      { _ = try store.read("a") }, { try store.write(state, to: "a") }, { try store.remove("a") },
    ]
    for failure in failures {
      let error = #expect(throws: LupineError.self, "\(name)") { try failure() }
      #expect(error?.kind == .fileFailed)
      #expect(error?.message.contains("/a") == true)
    }
    #expect(folder.names == before)
    let after = try? folder.text("b")
    #expect(after == content)
  }

  @Test(arguments: ["", ".", "..", "a/b", "../a", "a\0b"])
  func `a name that no file of the folder can have has no state, and takes none`(name: String)
    throws
  {
    try folder.write("a letter", to: "a")
    #expect(try store.read(name) == nil)
    try store.remove(name)
    let error = #expect(throws: LupineError.self) { try store.write(state, to: name) }
    #expect(error?.kind == .fileFailed)
    #expect(folder.names == ["a"])
  }

  @Test func `a state of more than a MiB is an error, and the old one stays`() throws {
    try store.write(state, to: "a")
    try store.write(Data(count: 1 << 20), to: "b")
    #expect(try store.read("b")?.count == 1 << 20)
    let error = #expect(throws: LupineError.self) {
      try store.write(Data(count: 1 + 1 << 20), to: "a")
    }
    #expect(error?.file?.kind == .tooLarge)
    #expect(try store.read("a") == state)
  }

  @Test func `a folder that is not there is an error of a write alone`() throws {
    let store = FileCheckpointStore(folder: folder.file("missing"))
    #expect(try store.read("a") == nil)
    let error = #expect(throws: LupineError.self) { try store.write(state, to: "a") }
    #expect(error?.file?.kind == .notFound)
  }
}
