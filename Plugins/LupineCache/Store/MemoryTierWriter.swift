import HTTPTypes
import LupineCore
import LupineFoundation

/// A writer of the store, whose commit drops the copies of its key.
final class MemoryTierWriter: ResponseStoreWriter {
  private let base: any ResponseStoreWriter
  private let key: String
  private let tier: MemoryTier

  init(_ base: any ResponseStoreWriter, _ key: String, _ tier: MemoryTier) {
    self.base = base
    self.key = key
    self.tier = tier
  }

  func append(_ bytes: Data) async throws(LupineError) { try await base.append(bytes) }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    defer { tier.drop(key) }
    tier.drop(key)
    return try await base.commit(trailers: trailers)
  }

  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    defer { tier.drop(key) }
    tier.drop(key)
    return try await base.commit(as: record)
  }

  func abort() async { await base.abort() }
}

/// A `MemoryTierWriter` whose base can be read while it is written.
///
/// A type of its own, because the cache asks whether a writer conforms to the protocol.
final class ReadableMemoryTierWriter: ReadableResponseStoreWriter {
  private let writer: MemoryTierWriter
  private let base: any ReadableResponseStoreWriter

  init(_ base: any ReadableResponseStoreWriter, _ key: String, _ tier: MemoryTier) {
    writer = MemoryTierWriter(base, key, tier)
    self.base = base
  }

  func append(_ bytes: Data) async throws(LupineError) { try await writer.append(bytes) }
  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    try await writer.commit(trailers: trailers)
  }
  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    try await writer.commit(as: record)
  }
  func abort() async { await writer.abort() }
  func read(_ range: Range<Int64>) async throws(LupineError) -> [UInt8] { try await base.read(range) }
}
