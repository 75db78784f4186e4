import Foundation
import LupineCore
import LupineFixtures
import LupineTesting
import Testing

@testable import LupineRedis

/// Keys of the store that have another type on the server than the store gives them.
@Suite(.enabled(if: RedisStage.isAvailable), .timeLimit(.minutes(1))) struct ForeignTypeTests {
  private static func text(_ name: Data) -> String { String(decoding: name, as: UTF8.self) }

  @Test(arguments: ["string", "list"])
  func `a key of responses that has another type is removed and used again`(type: String) async throws {
    let store = try RedisStage.store()
    let record = RedisStage.record("key")
    let name = Self.text(try store.codec.hashName("key"))
    func spoil() async throws { try await store.raw(type == "list" ? "RPUSH" : "SET", name, "foreign") }
    try await spoil()
    #expect(try await store.responses(for: "key").isEmpty)
    try await spoil()
    let stored = try await store.add(record, "text")
    #expect(try await store.responses(for: "key") == [stored])
    try await store.raw("DEL", name)
    for call: () async throws -> Void in [
      { _ = try await store.update(stored, to: record) }, { try await store.remove(stored) },
      { try await store.removeAll(for: "key") }, { _ = try await store.size() },
      { try await store.removeAll { _ in true } },
    ] {
      try await spoil()
      try await call()
    }
    #expect(try await store.text(of: store.add(record, "text")) == "text")
  }

  @Test func `a content that has another type is a missing response, and stored again`() async throws {
    let store = try RedisStage.store()
    let record = RedisStage.record("key")
    let stored = try await store.add(record, "text")
    let name = Self.text(try store.codec.contentName(of: stored))
    try await store.raw("DEL", name)
    try await store.raw("RPUSH", name, "foreign")
    _ = try await store.size()
    #expect(try await store.text(of: stored) == nil)
    #expect(try await store.responses(for: "key").isEmpty)
    #expect(try await store.text(of: store.add(record, "text")) == "text")
  }

  @Test func `a lease that has another type is free`() async throws {
    let store = try RedisStage.store()
    let name = Self.text(try store.codec.leaseName("key"))
    try await store.raw("RPUSH", name, "foreign")
    let lease = try #require(try await store.acquireLease(for: "key", lifetime: .seconds(10)))
    #expect(try await store.acquireLease(for: "key", lifetime: .seconds(10)) == nil)
    #expect(try await store.release(lease))
    try await store.raw("RPUSH", name, "foreign")
    #expect(try await !store.release(lease))
  }

  @Test func `a lease of the longest lifetime can be taken and released`() async throws {
    let store = try RedisStage.store()
    let lease = try #require(try await store.acquireLease(for: "key", lifetime: .seconds(Int64.max)))
    #expect(try await store.release(lease))
  }
}
