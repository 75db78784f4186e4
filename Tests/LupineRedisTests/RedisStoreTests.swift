import Foundation
import LupineCore
import LupineFixtures
import LupineTesting
import Testing

@testable import LupineRedis

@Suite(.enabled(if: RedisStage.isAvailable), .timeLimit(.minutes(1))) struct RedisStoreTests {
  @Test(arguments: ResponseStoreCheck.all) func `the store conforms`(check: ResponseStoreCheck) async throws {
    try await check.run { try RedisStage.store() }
  }

  @Test func `the store conforms over TCP, with a user, in another database`() async throws {
    let address = try #require(Peers.redis)
    let server = try RedisServer(url: "redis://ali:open%20sesame@\(address)/5")
    for check in ResponseStoreCheck.all { try await check.run { try RedisStage.store(on: server) } }
    // The server's default database has nothing of it.
    let store = try RedisStage.store(on: server) { $0.prefix = "test-database" }
    try await store.add(RedisStage.record("key"), "text")
    #expect(try await RedisStage.store { $0.prefix = "test-database" }.responses(for: "key").isEmpty)
    try await store.removeAll { _ in true }
  }

  @Test func `a response expires after its retention, with everything that belongs to it`() async throws {
    let store = try RedisStage.store()
    let stored = try await store.add(RedisStage.record("key", retention: .milliseconds(20)), "text")
    try await store.letServerWait(seconds: 0.05)
    #expect(try await store.responses(for: "key").isEmpty)
    #expect(try await store.text(of: stored) == nil)
    #expect(try await store.update(stored, to: RedisStage.record("key")) == nil)
    #expect(try await store.raw("KEYS", "\(store.configuration.prefix)*") == .array([]))
  }

  @Test func `a response without a retention is kept for the maximum, and a longer one no longer`() async throws {
    let store = try RedisStage.store { $0.maximumRetention = .seconds(100) }
    for (key, retention) in [("a", nil), ("b", .seconds(1_000)), ("c", .seconds(50))] as [(String, Duration?)] {
      let stored = try await store.add(RedisStage.record(key, retention: retention), "text")
      let longest: Int64 = key == "c" ? 50_000 : 100_000
      for name in [try store.codec.hashName(key), try store.codec.contentName(of: stored)] {
        let left = try await store.number(RedisCommand("PTTL", [name]))
        #expect(left > longest - 30_000 && left <= longest)
      }
    }
  }

  @Test func `an update sets a new time, and other variants keep theirs`() async throws {
    let store = try RedisStage.store()
    let short = try await store.add(RedisStage.record("key", variant: "en", retention: .milliseconds(500)), "text")
    try await store.add(RedisStage.record("key", variant: "de", retention: .milliseconds(500)), "Text")
    let record = RedisStage.record("key", variant: "en", retention: .seconds(60))
    let updated = try #require(try await store.update(short, to: record))
    try await store.letServerWait(seconds: 0.6)
    #expect(try await store.responses(for: "key") == [updated])
    #expect(try await store.text(of: updated) == "text")
  }

  @Test func `a response that is too large is not stored`() async throws {
    let store = try RedisStage.store { $0.contentLimit = 8 }
    let record = RedisStage.record("key")
    #expect(try await store.makeWriter(for: record, length: 9) == nil)
    var large = record
    large.metadata = Data(count: store.configuration.recordLimit)
    #expect(try await store.makeWriter(for: large, length: 1) == nil)
    #expect(try await store.makeWriter(for: RedisStage.record("key", retention: .zero), length: 1) == nil)
    let writer = try #require(try await store.makeWriter(for: record, length: nil))
    try await writer.append(Data("12345678".utf8))
    await #expect(throws: LupineError.self) { try await writer.append(Data("9".utf8)) }
    #expect(try await writer.commit(trailers: nil) == nil)
    let stored = try await store.add(record, "12345678")
    await #expect(throws: LupineError.self) { try await store.update(stored, to: large) }
    #expect(try await store.responses(for: "key") == [stored])
  }

  @Test func `a content of the limit, with all bytes, is stored`() async throws {
    let store = try RedisStage.store()
    let content = String(repeating: "\u{0}\r\n$é", count: 1 << 20).prefix(200_000)
    let stored = try await store.add(RedisStage.record("key\r\n"), String(content))
    #expect(try await store.text(of: stored) == String(content))
    let writer = try #require(try await store.makeWriter(for: RedisStage.record("full"), length: 1 << 20))
    try await writer.append(Data(count: 1 << 20))
    #expect(try await writer.commit(trailers: nil)?.length == 1 << 20)
  }

  @Test func `the number of a key's variants is bounded`() async throws {
    let store = try RedisStage.store { $0.variantLimit = 3 }
    for variant in 0..<8 { try await store.add(RedisStage.record("key", variant: "\(variant)"), "text") }
    let variants = try await store.responses(for: "key").map(\.record.variant)
    #expect(variants.count == 3)
    #expect(variants.contains("7"))
    // Three contents and the hash: nothing remains of the others.
    guard case .array(let names) = try await store.raw("KEYS", "\(store.configuration.prefix)*") else { return }
    #expect(names.count == 4)
  }

  @Test func `many tasks and two stores work at the same time`() async throws {
    let stores = try [0, 1].map { _ in try RedisStage.store { $0.prefix = "test-many" } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<64 {
        group.addTask {
          let record = RedisStage.record("key \(number)")
          let stored = try await stores[number % 2].add(record, "text \(number)")
          let other = stores[(number + 1) % 2]
          #expect(try await other.responses(for: record.key) == [stored])
          #expect(try await other.text(of: stored) == "text \(number)")
        }
      }
      try await group.waitForAll()
    }
    try await stores[0].removeAll { _ in true }
    #expect(try await stores[1].size() == 0)
  }
}
