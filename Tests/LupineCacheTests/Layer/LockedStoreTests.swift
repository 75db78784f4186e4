import Foundation
import HTTPTypes
import LupineCache
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import LupineSession
import Testing

@testable import LupineSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Caches over a folder whose locks another program has.
@Suite(.timeLimit(.minutes(1))) struct LockedStoreTests {
  enum Lock: CaseIterable, Sendable {
    case folder, database

    /// Runs a test while the lock is held.
    func hold(in path: String, _ test: () async throws -> Void) async throws {
      switch self {
      case .folder:
        let file = open(path + "/lock", O_RDWR)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        try await test()
      case .database:
        let connection = try Connection(path + "/responses.sqlite")
        try connection.execute("BEGIN IMMEDIATE")
        try await test()
        try connection.execute("COMMIT")
      }
    }
  }

  private let folder: TemporaryFolder
  private var path: String { folder.file("store") }

  init() throws { folder = try TemporaryFolder() }

  private func makeBench(_ memory: CacheSize) throws -> (bench: CacheBench, store: SQLiteStore) {
    // With this clock the store gives up the lock at once instead of after a second.
    let store = SQLiteStore(at: path, maximumSize: .megabytes(8), clock: ImmediateClock())
    let bench = try CacheBench(cache: HTTPCache(memory: memory, store: store))
    bench.mock.stub(.get, "/{any...}") { .cached($0.url.path, "max-age=60") }
    bench.mock.stub(.post, "/{any...}", .text("posted"))
    return (bench, store)
  }

  @Test(arguments: Lock.allCases, [CacheSize.bytes(0), .megabytes(1)])
  func `requests go to the server while another program has the lock at the opening`(
    lock: Lock, memory: CacheSize
  ) async throws {
    let (first, before) = try makeBench(memory)
    #expect(await first.get("https://example.com/a").text == "/a")
    await first.session.shutdown()
    await before.close()
    let (bench, store) = try makeBench(memory)
    try await lock.hold(in: path) {
      for _ in 0..<3 { #expect(await bench.get("https://example.com/a").text == "/a") }
      #expect(bench.mock.requests.count == 3)
      let posted = bench.session.request("https://example.com/a", method: .post)
      #expect(await posted.serializingString().response.value == "posted")
      await bench.session.finishBackgroundTasks()
    }
    // The response that could not be removed is removed now.
    #expect(await bench.get("https://example.com/a").status == "fwd=uri-miss; stored")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get("https://example.com/a").status == "hit; ttl=60")
    await bench.session.shutdown()
    await store.close()
  }

  @Test(arguments: Lock.allCases, [CacheSize.bytes(0), .megabytes(1)])
  func `stored responses answer while another program has the lock, and new ones arrive`(
    lock: Lock, memory: CacheSize
  ) async throws {
    let (bench, store) = try makeBench(memory)
    #expect(await bench.get("https://example.com/a").text == "/a")
    await bench.session.finishBackgroundTasks()
    try await lock.hold(in: path) {
      for _ in 0..<70 { #expect(await bench.get("https://example.com/a").status == "hit; ttl=60") }
      #expect(await bench.get("https://example.com/b").text == "/b")
      await bench.session.finishBackgroundTasks()
    }
    #expect(await bench.get("https://example.com/b").text == "/b")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get("https://example.com/b").status == "hit; ttl=60")
    await bench.session.shutdown()
    await store.close()
  }
}
