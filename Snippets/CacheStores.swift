// HTTP caches that keep responses on a disk, or on a Redis server that several machines share.

import Lupine
import LupineRedis
import LupineSQLite

// snippet.hide
// A program reads its keys from where it keeps its secrets.
let (hashKey, authenticationKey) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))

/// Makes a cache on a disk.
func cacheOnDisk() async throws -> HTTPCache {
  // snippet.show
  let store = SQLiteStore(at: "/var/cache/news", maximumSize: 256 << 20)
  let cache = try HTTPCache(store: store, hashKey: try await store.secret())
  // snippet.hide
  return cache
}

/// Makes a cache that several machines share.
func sharedCache() throws -> HTTPCache {
  // snippet.show
  let store = try RedisStore(
    RedisServer(url: "redis://cache.internal:6379"), authenticationKey: authenticationKey)
  let cache = try HTTPCache(store: store, hashKey: hashKey)
  // snippet.hide
  return cache
}

// The store on the disk needs its folder, so it is only compiled here.
print(try sharedCache(), cacheOnDisk as Any)
