import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import Testing

@testable import LupineTransferQueue

/// The folder of a queue: modes, links, damage and other releases.
@Suite(.timeLimit(.minutes(1))) struct QueueFolderTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  /// Fills a queue that runs nothing, and closes it.
  private func fill(_ count: Int) async throws -> [TransferID] {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let ids = try await queue.add((0..<count).map { stage.download("\($0)") })
    await queue.close()
    return ids
  }

  private func message(_ work: () async throws -> Void) async -> String {
    do {
      try await work()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `the folder has the mode 0700, and each file 0600`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    try await queue.add(stage.download("a"))
    #expect(try stage.mode(stage.queueFolder) == 0o700)
    #expect(try stage.mode(stage.queueFolder + "/forms") == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder).filter { $0 != "forms" }
    #expect(names.contains("transfers.sqlite"))
    #expect(names.contains("socket"))
    for name in names { #expect(try stage.mode("\(stage.queueFolder)/\(name)") == 0o600, "\(name)") }
    await queue.close()
  }

  @Test func `a folder that others can read is closed to them, and one that they can write is refused`() async throws {
    try FileManager.default.createDirectory(
      atPath: stage.queueFolder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    _ = try await fill(1)
    #expect(try stage.mode(stage.queueFolder) == 0o700)
    chmod(stage.queueFolder, 0o770)
    #expect(await message { _ = try await stage.queue().transfers }.contains("only this user can write"))
  }

  @Test(arguments: [0o600, 0o644, 0o664, 0o666] as [mode_t])
  func `a complete download has an identity with each umask`(mode: mode_t) throws {
    let path = stage.file("a")
    try Data("x".utf8).write(to: URL(filePath: path))
    chmod(path, mode)
    #expect(Placement.identity(of: path) != nil)
    symlink(path, stage.file("b"))
    #expect(Placement.identity(of: stage.file("b")) == nil)
  }

  @Test func `a link in the place of the folder is refused`() async throws {
    let real = stage.folder.file("real")
    try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
    symlink(real, stage.queueFolder)
    #expect(await message { _ = try await stage.queue().transfers }.contains("symbolic link"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: real) == [])
  }

  @Test func `a database with a second name is refused and stays, and the lock of its runner holds`() async throws {
    let ids = try await fill(2)
    let lock = try #require(try QueueFolder(at: stage.queueFolder).takeRunnerLock())
    for name in ["transfers.sqlite", "runner"] {
      #expect(link("\(stage.queueFolder)/\(name)", stage.folder.file("copy of \(name)")) == 0)
    }
    let isFree = try QueueFolder(at: stage.queueFolder).takeRunnerLock() != nil
    #expect(!isFree)
    let visitor = try stage.queue { $0.runsTransfers = false }
    #expect(await message { _ = try await visitor.transfers }.contains("second name"))
    unlink(stage.folder.file("copy of transfers.sqlite"))
    #expect(try await visitor.transfers.map(\.id) == ids)
    await visitor.close()
    extendLifetime(lock)
  }

  @Test func `a database of a later release is refused and not changed`() async throws {
    _ = try await fill(2)
    do {
      let connection = try Connection(stage.database)
      try connection.execute("PRAGMA user_version=2")
    }
    let before = FileManager.default.contents(atPath: stage.database)
    #expect(await message { _ = try await stage.queue().transfers }.contains("later release"))
    #expect(FileManager.default.contents(atPath: stage.database) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder)
    #expect(!names.contains { $0.contains("aside") })
  }

  @Test func `a later release is refused before anything is taken for damage`() async throws {
    _ = try await fill(2)
    do {
      let connection = try Connection(stage.database)
      try connection.execute("PRAGMA user_version=2")
    }
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    // The first page is no page of SQLite's any more, but its header says the version.
    for index in 100..<2_000 { bytes[index] = 0xFF }
    try bytes.write(to: URL(filePath: stage.database))
    #expect(await message { _ = try await stage.queue().transfers }.contains("later release"))
    #expect(FileManager.default.contents(atPath: stage.database) == bytes)
  }

  @Test(arguments: [0, 1, 2]) func `a damaged database is moved aside, and what can be read is kept`(kind: Int)
    async throws
  {
    let ids = try await fill(200)
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    #expect(bytes.count > 20 * 4_096)
    switch kind {
    // A page in the middle.
    case 0: for index in bytes.count / 2..<bytes.count / 2 + 4_096 { bytes[index] = 0xA5 }
    // The end is missing.
    case 1: bytes = bytes.prefix(bytes.count * 3 / 4)
    // Everything.
    default: bytes = Data(repeating: 0x41, count: bytes.count)
    }
    try bytes.write(to: URL(filePath: stage.database))
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let kept = try await queue.transfers
    if kind == 2 { #expect(kept.isEmpty) } else { #expect(kept.count > 20 && kept.count <= 200) }
    #expect(Set(kept.map(\.id)).isSubset(of: ids))
    let new = try await queue.add(stage.download("new"))
    #expect(!ids.contains(new) || kind == 2)
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder)
    #expect(names.contains("transfers.sqlite.aside-1"))
    await queue.close()
  }

  @Test func `the commands that wait in a damaged database are kept`() async throws {
    let ids = try await fill(200)
    let other = try stage.queue { $0.runsTransfers = false }
    try await other.pause(ids[0])
    try await other.remove(ids[1])
    try await other.move(ids[199], to: .front(of: .high))
    try await other.pause(ids[198])
    try await other.resume(ids[198])
    await other.close()
    // The page of a transfer in the middle has neither the first nor the last ones.
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    let page = try #require(bytes.range(of: Data(stage.file("100").utf8))).lowerBound / 4_096
    bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: repeatElement(0xA5, count: 4_096))
    try bytes.write(to: URL(filePath: stage.database))
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let kept = try await queue.transfers
    #expect(!kept.contains { $0.id == ids[100] })
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder).contains("transfers.sqlite.aside-1"))
    #expect(kept.first?.id == ids[0])
    #expect(kept.first?.state == .paused)
    #expect(!kept.contains { $0.id == ids[1] })
    #expect(kept.last?.id == ids[199])
    #expect(kept.last?.priority == .high)
    #expect(kept.first { $0.id == ids[198] }?.state == .waiting)
    await queue.close()
  }

  @Test(arguments: ["kind = 3", "transfer = 2", "checksum = 0"])
  func `a command that was changed is not obeyed, and does not stay`(change: String) async throws {
    let ids = try await fill(2)
    let other = try stage.queue { $0.runsTransfers = false }
    try await other.pause(ids[0])
    await other.close()
    do {
      let connection = try Connection(stage.database)
      try connection.execute("UPDATE commands SET \(change)")
    }
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await queue.transfers.map(\.state) == [.waiting, .waiting])
    #expect(try await queue.transfers.map(\.id) == ids)
    await queue.close()
    let connection = try Connection(stage.database)
    let rows = try Statement("SELECT count(*) FROM commands", on: connection)
    #expect(try rows.first([]) { $0.integer(0) } == 0)
  }

  @Test(arguments: [
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 9223372036854775807)",
    "INSERT INTO events VALUES (9223372036854775807, 1, x'00', 0)",
    "INSERT INTO commands VALUES (9223372036854775807, -1, 4, -9223372036854775808, 0)",
    "INSERT INTO commands VALUES (1, 9223372036854775807, 6, -1, 0)",
    "UPDATE transfers SET id = 9223372036854775807 WHERE id = 1",
    "UPDATE transfers SET id = -9223372036854775808 WHERE id = 1",
    "UPDATE transfers SET place = 9223372036854775807 WHERE id = 1",
    "UPDATE transfers SET place = -9223372036854775808 WHERE id = 1",
    "UPDATE transfers SET deadline = -9223372036854775808 WHERE id = 1",
    "UPDATE transfers SET deadline = 9223372036854775807 WHERE id = 1",
    "UPDATE transfers SET state = -1, priority = 9223372036854775807 WHERE id = 1",
  ])
  func `extreme numbers in a database end no program`(change: String) async throws {
    _ = try await fill(2)
    do {
      let connection = try Connection(stage.database)
      try connection.execute(change)
    }
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let queue = try stage.queue()
    let id = try await queue.add(stage.download("new"))
    for kept in try await queue.transfers {
      try await queue.move(kept.id, to: .front(of: .normal))
      try await queue.move(kept.id, to: .back(of: .normal))
    }
    for await event in queue.events where event.transfer == id {
      #expect(event.isFinished)
      break
    }
    #expect(stage.content("new") == Data("x".utf8))
    await queue.close()
  }

  @Test func `a state, an identity or an event that was changed is not believed`() async throws {
    let ids = try await fill(4)
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    do {
      let connection = try Connection(stage.database)
      try connection.execute("UPDATE transfers SET state = 5 WHERE id = \(ids[0])")
      try connection.execute("UPDATE transfers SET staged = x'31' WHERE id = \(ids[1])")
      try connection.execute("UPDATE transfers SET removed = 1 WHERE id = \(ids[2])")
    }
    let first = try stage.queue()
    #expect(try await first.transfers.map(\.id) == [ids[3]])
    #expect(await first.peek()?.transfer == ids[3])
    await first.close()
    do {
      let connection = try Connection(stage.database)
      try connection.execute("UPDATE events SET transfer = \(ids[0])")
    }
    let second = try stage.queue()
    let last = try await second.add(stage.download("last"))
    #expect(await second.peek()?.transfer == last)
    await second.close()
  }

  @Test func `a flipped bit in a description costs that transfer alone`() async throws {
    let ids = try await fill(3)
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    let place = try #require(bytes.range(of: Data("https://example.com/1".utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: stage.database))
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await queue.transfers.map(\.id) == [ids[0], ids[2]])
    await queue.close()
  }

  @Test func `a folder that cannot be written is an error, and nothing hangs`() async throws {
    guard geteuid() != 0 else { return }
    _ = try await fill(1)
    chmod(stage.queueFolder, 0o500)
    #expect(await message { _ = try await stage.queue().transfers } != "")
    chmod(stage.queueFolder, 0o700)
  }
}
