import Foundation
import LupineCore
import Testing

@testable import LupineRedis

/// Values on the server that another program damaged, moved or made.
@Suite(.enabled(if: RedisStage.isAvailable), .timeLimit(.minutes(1))) struct ForgedValueTests {
  /// Replaces the bytes of a value; what it returns is stored.
  static let damages: [@Sendable (Data) -> Data] = [
    { _ in Data() }, { $0.dropLast() }, { $0 + Data("x".utf8) }, { Data($0.dropFirst()) }, { $0.prefix(33) },
    { value in Data(repeating: 0x61, count: value.count) },
  ]

  @Test func `a record that differs in any byte is missing`() async throws {
    let store = try RedisStage.store()
    try await store.add(RedisStage.record("key"), "text")
    let (hash, field) = (try store.codec.hashName("key"), try store.codec.fieldName(""))
    let value = try await store.bytes("HGET", hash, field)
    // The identifier names the content; another one is missing already for that reason.
    let flips = (0..<value.count).map { index in { @Sendable (value: Data) in Self.flip(value, at: index) } }
    for damage in Self.damages + flips {
      #expect(try store.codec.decode(damage(value), hash: hash, field: field) == nil)
    }
    for damage in Self.damages + [{ Self.flip($0, at: 40) }, { Self.flip($0, at: $0.count - 2) }] {
      _ = try await store.client.send(RedisCommand("HSET", [hash, field, damage(value)]))
      #expect(try await store.responses(for: "key").isEmpty)
    }
  }

  @Test func `a content that differs in any byte is missing`() async throws {
    let store = try RedisStage.store()
    let stored = try await store.add(RedisStage.record("key"), "text")
    let name = try store.codec.contentName(of: stored)
    let value = try await store.bytes("GET", name)
    let flips = (0..<value.count).map { index in { @Sendable (value: Data) in Self.flip(value, at: index) } }
    for damage in Self.damages + flips {
      _ = try await store.client.send(RedisCommand("SET", [name, damage(value)]))
      #expect(try await store.text(of: stored) == nil)
      #expect(try await store.content(of: stored, in: 0..<1) == nil)
    }
    _ = try await store.client.send(RedisCommand("SET", [name, value]))
    #expect(try await store.text(of: stored) == "text")
  }

  @Test func `a response in the place of another key or variant is missing`() async throws {
    let store = try RedisStage.store()
    let stored = try await store.add(RedisStage.record("key", variant: "en"), "text")
    try await store.add(RedisStage.record("other", variant: "de"), "Text")
    let content = try store.codec.contentName(of: stored)
    let value = try await store.bytes("HGET", store.codec.hashName("key"), store.codec.fieldName("en"))
    for (key, variant) in [("key", "de"), ("other", "en"), ("other", "de")] {
      let hash = try store.codec.hashName(key)
      _ = try await store.client.send(RedisCommand("HSET", [hash, try store.codec.fieldName(variant), value]))
      guard key == "other" else { continue }
      _ = try await store.client.send(
        RedisCommand("COPY", [content, hash + Data(":\(stored.id)".utf8), Data("REPLACE".utf8)]))
    }
    #expect(try await store.responses(for: "key") == [stored])
    #expect(try await store.responses(for: "other").isEmpty)
    var moved = stored
    moved.record.key = "other"
    #expect(try await store.text(of: moved) == nil)
  }

  @Test func `a store with another key finds nothing, even if the values are copied to its names`() async throws {
    let store = try RedisStage.store()
    let other = try RedisStage.store(key: Array(repeating: 8, count: 32)) { $0.prefix = store.configuration.prefix }
    let stored = try await store.add(RedisStage.record("key"), "text")
    #expect(try await other.responses(for: "key").isEmpty)
    #expect(try await other.text(of: stored) == nil)
    // The fields have other names as well, so the value alone is copied.
    let value = try await store.bytes("HGET", store.codec.hashName("key"), store.codec.fieldName(""))
    let hash = try other.codec.hashName("key")
    _ = try await other.client.send(RedisCommand("HSET", [hash, try other.codec.fieldName(""), value]))
    _ = try await other.client.send(
      RedisCommand("COPY", [try store.codec.contentName(of: stored), try other.codec.contentName(of: stored)]))
    #expect(try await other.responses(for: "key").isEmpty)
    #expect(try await other.text(of: stored) == nil)
    #expect(try await store.responses(for: "key") == [stored])
  }

  static func flip(_ value: Data, at index: Int) -> Data {
    var value = value
    value[value.startIndex + index] ^= 1
    return value
  }
}
