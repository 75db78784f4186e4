// A store for HTTP caches on a Redis server that several machines share, and a lease.

import Lupine
import LupineRedis

// snippet.hide
// A program reads its key from where it keeps its secrets.
let key = [UInt8](repeating: 7, count: 32)
// snippet.show
let store = try RedisStore(
  RedisServer(url: "redis://cache.internal:6379"), authenticationKey: key)
// snippet.hide

/// Fetches a key, unless another machine holds its lease.
func fetchIfUnleased(_ key: String, from store: RedisStore, _ fetch: () async throws -> Void) async throws {
  // snippet.show
  if let lease = try await store.acquireLease(for: key, lifetime: .seconds(10)) {
    try await fetch()
    try await store.release(lease)
  }
  // snippet.hide
}

print(store)
guard "\(store)" == "Redis store at cache.internal:6379" else { fatalError("\(store)") }
