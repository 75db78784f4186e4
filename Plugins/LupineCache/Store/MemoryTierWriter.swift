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
