import HTTPTypes
import LupineCore
import LupineFoundation
import LupineTesting
import Synchronization
import Testing

@testable import LupineCache

@Suite(.timeLimit(.minutes(1))) struct MemoryTierTests {
  /// A store that counts how often it is read.
  private final class CountedStore: WrappingStore {
    let base = MemoryResponseStore(size: .megabytes(8))
    private let count = Atomic(0)
    /// Called after the records of a key were read, before they are returned.
    let onRead = Mutex<(@Sendable () async -> Void)?>(nil)

    var reads: Int { count.load(ordering: .relaxed) }

    func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
      count.add(1, ordering: .relaxed)
      let found = try await base.responses(for: key)
      await onRead.withLock { $0 }?()
      return found
    }

    func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
      count.add(1, ordering: .relaxed)
      return try await base.content(of: response, in: range)
    }
  }

  private let store = CountedStore()
  private let tier: MemoryTier

  init() { tier = MemoryTier(over: store, size: .kilobytes(80)) }

  private func add(_ key: String, _ text: String, variant: String = "") async throws -> StoredResponse {
    let record = ResponseRecord(key: key, variant: variant, head: HTTPResponse(status: .ok))
    let writer = try #require(try await tier.makeWriter(for: record, length: nil))
    try await writer.append(Data(text.utf8))
    return try #require(try await writer.commit(trailers: nil))
  }

  /// Reads the only response of a key as a cache does: from memory if it is there.
  private func read(_ key: String, in range: Range<Int64>? = nil) async throws -> String? {
    let known = tier.responsesInMemory(for: key)?.map(\.stored)
    let found = if let known { known } else { try await tier.responses(for: key) }
    guard let response = found.first else { return nil }
    guard case .bytes(let data) = try await tier.content(of: response, in: range)?.source else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  @Test(arguments: ResponseStoreCheck.all)
  func `a store with copies in memory conforms`(check: ResponseStoreCheck) async throws {
    try await check.run { MemoryTier(over: MemoryResponseStore(size: .megabytes(8)), size: .megabytes(1)) }
  }

  @Test func `a response that was read once is read from memory`() async throws {
    _ = try await add("key", "content")
    #expect(try await read("key") == "content")
    let reads = store.reads
    #expect(try await read("key") == "content")
    #expect(try await read("key", in: 3..<7) == "tent")
    #expect(store.reads == reads)
  }

  @Test func `every change drops the copies`() async throws {
    var stored = try await add("key", "one")
    #expect(try await read("key") == "one")
    stored = try await add("key", "two")
    #expect(try await read("key") == "two")
    var record = stored.record
    record.head.headerFields[.age] = "1"
    _ = try await tier.update(stored, to: record)
    #expect(try await tier.responses(for: "key").first?.record == record)
    #expect(try await read("key") == "two")
    try await tier.remove(stored)
    #expect(try await read("key") == nil)
    _ = try await add("key", "three")
    #expect(try await read("key") == "three")
    try await tier.removeAll(for: "key")
    #expect(try await read("key") == nil)
    _ = try await add("key", "four")
    #expect(try await read("key") == "four")
    try await tier.removeAll { _ in false }
    let reads = store.reads
    #expect(try await read("key") == "four")
    #expect(store.reads == reads)
    try await tier.removeAll { _ in true }
    #expect(try await read("key") == nil)
  }

  @Test func `records that were read before a change are not kept`() async throws {
    let stored = try await add("key", "content")
    store.onRead.withLock { $0 = { [tier] in try? await tier.remove(stored) } }
    #expect(try await tier.responses(for: "key").count == 1)
    store.onRead.withLock { $0 = nil }
    #expect(tier.responsesInMemory(for: "key") == nil)
    #expect(try await read("key") == nil)
  }

  @Test func `after 64 uses a copy is read again`() async throws {
    let stored = try await add("key", "content")
    #expect(try await read("key") == "content")
    // Another process has removed it.
    try await store.base.remove(stored)
    for _ in 0..<64 { #expect(try await read("key") == "content") }
    #expect(try await read("key") == nil)
  }

  @Test func `copies take at most the size, and those of one key an eighth`() async throws {
    let text = String(repeating: "x", count: 4 << 10)
    for number in 0..<40 {
      _ = try await add("\(number)", text)
      #expect(try await read("\(number)") == text)
    }
    let kept = (0..<40).count { tier.responsesInMemory(for: "\($0)") != nil }
    // Each takes the content and about 1 KiB.
    #expect((8...20).contains(kept), "\(kept) are kept")
    _ = try await add("large", String(repeating: "x", count: 10 << 10))
    _ = try await read("large")
    let reads = store.reads
    _ = try await read("large")
    #expect(store.reads == reads + 1)
  }
}
