import LupineCache
import LupineCore
import LupineFixtures
import LupineMock
import LupineRedis
import LupineSQLite
import LupineSession

/// Where a cache of a test keeps its responses.
enum Place: Sendable, CaseIterable {
  case memory
  case disk
  case redis

  /// The places that this machine has.
  static var available: [Place] {
    Peers.redisSocket != nil || Peers.areRequired ? allCases : [.memory, .disk]
  }

  /// Runs a test with an empty cache.
  func withBench(
    _ configuration: HTTPCache.Configuration = .init(), _ change: (Session.Builder) -> Session.Builder = { $0 },
    _ test: (CacheBench) async throws -> Void
  ) async throws {
    switch self {
    case .memory:
      let cache = HTTPCache(memory: .megabytes(16), configuration)
      let bench = try CacheBench(cache: cache, change)
      try await test(bench)
      await bench.session.shutdown()
    case .disk:
      let folder = try TemporaryFolder()
      let store = SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(16))
      let cache = try HTTPCache(store: store, configuration)
      let bench = try CacheBench(cache: cache, change)
      try await test(bench)
      await bench.session.shutdown()
      await store.close()
    case .redis:
      var options = RedisStore.Configuration()
      options.prefix = "test-\(UInt64.random(in: .min ... .max))"
      // The clock stands still, so that no command times out on a slow machine.
      let store = try RedisStore(
        RedisServer(.unix(path: Peers.redisSocket ?? "")), authenticationKey: CacheBench.key, configuration: options,
        clock: TestClock())
      let cache = try HTTPCache(store: store, hashKey: CacheBench.key, configuration)
      let bench = try CacheBench(cache: cache, change)
      try await test(bench)
      await bench.session.shutdown()
      try await cache.removeAll()
    }
  }
}
