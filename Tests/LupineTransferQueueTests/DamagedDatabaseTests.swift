import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import Testing

@testable import LupineTransferQueue

/// Databases that are damaged, that were changed, or that a later release has written.
@Suite(.timeLimit(.minutes(1))) struct DamagedDatabaseTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  @Test func `a database of a later release is refused and not changed`() async throws {
    _ = try await stage.fill(2)
    do {
      let connection = try Connection(stage.database)
      try connection.execute("PRAGMA user_version=2")
    }
    let before = FileManager.default.contents(atPath: stage.database)
    #expect(await QueueStage.message { _ = try await stage.queue().transfers }.contains("later release"))
    #expect(FileManager.default.contents(atPath: stage.database) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder)
    #expect(!names.contains { $0.contains("aside") })
  }

  @Test func `a later release is refused before anything is taken for damage`() async throws {
    _ = try await stage.fill(2)
    do {
      let connection = try Connection(stage.database)
      try connection.execute("PRAGMA user_version=2")
    }
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    // The first page is no page of SQLite's any more, but its header says the version.
    for index in 100..<2_000 { bytes[index] = 0xFF }
    try bytes.write(to: URL(filePath: stage.database))
    #expect(await QueueStage.message { _ = try await stage.queue().transfers }.contains("later release"))
    #expect(FileManager.default.contents(atPath: stage.database) == bytes)
  }

  enum Damage: CaseIterable {
    case bit, page, twoPages, end, schema, everything

    private static let pageSize = 4_096

    /// The least number of 200 transfers that are kept.
    var leastKept: Int {
      switch self {
      case .bit: 199
      case .page: 180
      case .twoPages: 160
      case .end: 90
      case .schema, .everything: 0
      }
    }

    func apply(to bytes: inout Data) {
      let pages = bytes.count / Self.pageSize
      switch self {
      case .bit: if let url = bytes.range(of: Data("example.com/100".utf8)) { bytes[url.lowerBound] ^= 1 }
      case .page: Self.overwrite(pages / 2, in: &bytes)
      case .twoPages: for page in [pages / 2, pages * 3 / 4] { Self.overwrite(page, in: &bytes) }
      case .end: bytes = bytes.prefix(bytes.count * 3 / 4)
      case .schema: bytes.replaceSubrange(100..<Self.pageSize, with: repeatElement(0xA5, count: Self.pageSize - 100))
      case .everything: bytes = Data(repeating: 0x41, count: bytes.count)
      }
    }

    private static func overwrite(_ number: Int, in bytes: inout Data) {
      bytes.replaceSubrange(number * pageSize..<(number + 1) * pageSize, with: repeatElement(0xA5, count: pageSize))
    }
  }

  @Test(arguments: Damage.allCases)
  func `a damaged database is moved aside, and all transfers are kept but those of the pages that are lost`(
    damage: Damage
  ) async throws {
    let first = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let ids = try await first.add((0..<200).map { stage.download("\($0)") })
    let before = try await first.transfers
    await first.close()
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    #expect(bytes.count > 20 * 4_096)
    damage.apply(to: &bytes)
    try bytes.write(to: URL(filePath: stage.database))
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let kept = try await queue.transfers
    // The descriptions that are left; without the tables in the first page, none can be found.
    let left = before.filter { bytes.range(of: Data("\"\($0.url)\"".utf8)) != nil }
    #expect(kept == (damage == .schema ? [] : left))
    #expect(kept.count >= damage.leastKept && kept.count < 200, "\(kept.count)")
    let new = try await queue.add(stage.download("new"))
    #expect(!ids.contains(new) || kept.isEmpty)
    let aside = FileManager.default.contents(atPath: stage.database + ".aside-1")
    // One row does not make the database damaged.
    if damage == .bit { #expect(aside == nil) } else { #expect(aside?.starts(with: bytes) == true) }
    await queue.close()
  }

  @Test func `the commands that wait in a damaged database are kept`() async throws {
    let ids = try await stage.fill(200)
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
    let ids = try await stage.fill(2)
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
    _ = try await stage.fill(2)
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
    let ids = try await stage.fill(4)
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
    let ids = try await stage.fill(3)
    var bytes = try #require(FileManager.default.contents(atPath: stage.database))
    let place = try #require(bytes.range(of: Data("https://example.com/1".utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: stage.database))
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await queue.transfers.map(\.id) == [ids[0], ids[2]])
    await queue.close()
  }
}
