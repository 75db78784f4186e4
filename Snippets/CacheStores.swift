// HTTP caches that keep responses on a disk, or on a Redis server that several machines share.

import Lupine
import LupineRedis
import LupineSQLite

// snippet.hide
// A program reads its keys from where it keeps its secrets.
let (hashKey, authenticationKey) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))

/// Makes a cache on a disk.
func cacheOnDisk() throws -> HTTPCache {
  // snippet.show
  let cache = try HTTPCache(memory: .megabytes(32), store: .sqlite(at: "/var/cache/news", .megabytes(500)))
  // snippet.hide
  return cache
}

/// Makes a cache that several machines share.
func sharedCache() throws -> HTTPCache {
  // snippet.show
  let store = try RedisStore(
    RedisServer(url: "redis://cache.internal:6379"), authenticationKey: authenticationKey)
  let cache = try HTTPCache(memory: .megabytes(32), store: store, hashKey: hashKey)
  // snippet.hide
  return cache
}

// The store on the disk needs its folder, so it is only compiled here.
print(try sharedCache(), cacheOnDisk as Any)
