import Foundation
import LupineCore
import LupineFixtures
import LupineSQLiteConnection
import Testing

@testable import LupineSQLite

@Suite struct StoreFolderTests {
  private let stage: StoreFolderStage
  private let content = StoreFolderStage.content(1, count: 50_000)

  init() throws { stage = try StoreFolderStage() }

  /// Stores and reads a response.
  private func use() async throws {
    let store = stage.makeStore()
    #expect(try await store.add("key", content) != nil)
    #expect(try await store.bytes("key") == content)
    await store.close()
  }

  @Test(arguments: ["", "text\n", "SQLite format 3\0 and no more"])
  func `a foreign file in the place of the database is moved aside`(text: String) async throws {
    try stage.folder.write(text, to: "store/responses.sqlite")
    try stage.folder.write("log", to: "store/responses.sqlite-wal")
    try await use()
    #expect(stage.names().contains("responses.sqlite.aside-1") == !text.isEmpty)
    if !text.isEmpty { #expect(try stage.folder.text("store/responses.sqlite.aside-1") == text) }
  }

  @Test func `the database of another program is moved aside as it is`() async throws {
    try stage.folder.write("", to: "store/responses.sqlite")
    let connection = try Connection(stage.database)
    try connection.execute("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
    let before = try Data(contentsOf: URL(filePath: stage.database))
    try await use()
    let after = try Data(contentsOf: URL(filePath: stage.database + ".aside-1"))
    // SQLite has noted the mode of the log in the header.
    #expect(after.dropFirst(100) == before.dropFirst(100))
  }

  @Test func `no symbolic link is followed`() async throws {
    let victim = try stage.folder.write("victim", to: "victim")
    try stage.folder.write("", to: "elsewhere/file")
    try FileManager.default.createDirectory(atPath: stage.path, withIntermediateDirectories: true)
    for name in ["responses.sqlite", "responses.sqlite-wal", "responses.sqlite-shm", "lock", "secret"] {
      try FileManager.default.createSymbolicLink(atPath: "\(stage.path)/\(name)", withDestinationPath: victim)
    }
    try FileManager.default.createSymbolicLink(
      atPath: stage.path + "/contents", withDestinationPath: stage.folder.file("elsewhere"))
    try await use()
    _ = try stage.makeStore().hashKey()
    #expect(try stage.folder.text("victim") == "victim")
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder.file("elsewhere")) == ["file"])
  }

  @Test func `a content that became a symbolic link or a second name is a missing response`() async throws {
    for isSymbolic in [true, false] {
      let store = stage.makeStore()
      let before = stage.contents
      let response = try #require(try await store.add("key", content))
      let other = stage.folder.file("moved \(isSymbolic)")
      let path = try #require(stage.contents.first { !before.contains($0) })
      try FileManager.default.moveItem(atPath: path, toPath: other)
      if isSymbolic {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
      } else {
        try FileManager.default.linkItem(atPath: other, toPath: path)
      }
      #expect(try await store.content(of: response, in: nil) == nil)
      await store.close()
    }
  }

  @Test func `a folder that others can write is refused, and a path that names none`() async throws {
    try FileManager.default.createDirectory(atPath: stage.path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: stage.path)
    let file = try stage.folder.write("text", to: "file")
    for path in [stage.path, "", "a\0b", file, file + "/below"] {
      let store = SQLiteStore(at: path, maximumSize: .megabytes(1))
      let error = await #expect(throws: LupineError.self) { try await store.responses(for: "key") }
      #expect(error?.kind == .fileFailed)
    }
  }

  @Test func `a folder behind a symbolic link is used`() async throws {
    try FileManager.default.createDirectory(atPath: stage.folder.file("real"), withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: stage.folder.file("real"))
    try FileManager.default.createSymbolicLink(atPath: stage.path, withDestinationPath: stage.folder.file("real"))
    try await use()
  }

  @Test func `a store goes on with an empty folder if its own was removed`() async throws {
    let store = stage.makeStore()
    try await store.add("key", content)
    try FileManager.default.removeItem(atPath: stage.path)
    #expect(try await store.responses(for: "key") == [])
    #expect(try await store.add("key", content) != nil)
    #expect(try await store.bytes("key") == content)
  }

  @Test func `the secret is made once, and made anew if it is damaged`() async throws {
    let bits: @Sendable () -> UInt64 = { 0x0102_0304_0506_0708 }
    let store = SQLiteStore(at: stage.path, maximumSize: .megabytes(1), random: bits)
    let secret = try store.hashKey()
    #expect(secret == Array(repeating: [1, 2, 3, 4, 5, 6, 7, 8], count: 4).flatMap { $0 })
    #expect(try stage.makeStore().hashKey() == secret)
    #expect(try stage.mode(stage.path + "/secret") == 0o600)
    for change: (inout Data) -> Void in [{ $0[31] ^= 1 }, { $0.removeLast() }, { $0.append(0) }, { $0 = Data() }] {
      let before = try stage.makeStore().hashKey()
      try stage.change(stage.path + "/secret", change)
      let after = try stage.makeStore().hashKey()
      #expect(after != before)
      #expect(after?.count == 32)
    }
  }

  @Test func `the descriptor of a new file is locked until it is closed`() throws {
    let folder = try StoreFolder(at: stage.path)
    let contents = try folder.contents()
    var file: ContentFile? = try contents.create(7)
    contents.removeAbandoned(7)
    #expect(try contents.nonces() == [7])
    _ = file.take()
    contents.removeAbandoned(7)
    #expect(try contents.nonces() == [])
    file = nil
  }
}
