import HTTPTypes
import LupineCache
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineSQLite
import LupineSession
import LupineStreams
import LupineTransfers
import Synchronization
import Testing

/// 64 tasks use one cache at the same time: they read, change, cancel, invalidate and remove, and the store evicts.
///
/// Every body is compared byte for byte with what the server has sent under the version in its head.
@Suite(.timeLimit(.minutes(2))) struct ConcurrencyTests {
  private static let tasks = 64
  private static let rounds = 12

  @Test func `64 readers and writers of a cache in memory get whole and current responses`() async throws {
    // Room for a part of the resources alone.
    try await run(MemoryResponseStore(size: .kilobytes(768)))
  }

  @Test func `64 readers and writers of a cache on the disk get whole and current responses`() async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(2))
    let other = SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(2))
    try await run(store, beside: other)
    await store.close()
    await other.close()
  }

  /// - Parameter other: a second store of the same folder, as another process has it; its cache only reads and adds,
  ///   because caches do not learn of each other's invalidations while a response is under way.
  private func run(_ store: any ResponseStore, beside other: (any ResponseStore)? = nil) async throws {
    let origin = ChangingOrigin()
    let cache = try HTTPCache(store: store, hashKey: CacheBench.key)
    let sessions = try (0..<2).map { _ in
      try Session.Builder().transport(origin.mock).install(.cache(cache)).build()
    }
    let neighbour = try other.map { other in
      let origin = ChangingOrigin(path: "neighbour")
      let cache = try HTTPCache(store: other, hashKey: CacheBench.key)
      return (origin, try Session.Builder().transport(origin.mock).install(.cache(cache)).build())
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<Self.tasks {
        let client = Client(
          origin: origin, cache: cache, session: sessions[number % 2], neighbour: neighbour,
          random: SplitMix(seed: Seeds.first &* 1_000 &+ UInt64(number)))
        group.addTask { await client.run(Self.rounds) }
      }
    }
    for session in sessions { await session.finishBackgroundTasks() }
    await neighbour?.1.finishBackgroundTasks()
    #expect(origin.mock.requests.count < Self.tasks * Self.rounds, "nothing was answered from the cache")
    #expect(try await cache.size > 0)
    try await cache.removeAll()
    #expect(try await cache.entries.isEmpty)
  }
}

/// Resources that POST changes; each version has its own bytes.
private final class ChangingOrigin: Sendable {
  static let count = 24
  let mock = MockTransport()
  private let path: String
  private let versions = Mutex([Int](repeating: 1, count: count))
  /// The versions whose POST has returned to its caller.
  private let changed = Mutex([Int](repeating: 1, count: count))

  init(path: String = "resources") {
    self.path = path
    for number in 0..<Self.count {
      mock.stub(.get, url(number), count: .optional) { [unowned self] request in
        let version = self.version(number)
        let tag = "\"\(version)\""
        if request.headers[.ifNoneMatch] == tag {
          return .status(.notModified).fields([.eTag: tag, .cacheControl: "max-age=3600"])
        }
        return .data(Data(Self.bytes(number, version)))
          .fields([.eTag: tag, .cacheControl: "max-age=3600", .contentLocation: "/\(number)/\(version)"])
      }
      mock.stub(.post, url(number), count: .optional) { [unowned self] _ in
        let version = versions.withLock { versions in
          versions[number] += 1
          return versions[number]
        }
        return .status(.noContent).field(.eTag, "\"\(version)\"")
      }
    }
  }

  func url(_ number: Int) -> String { "https://example.com/\(path)/\(number)" }

  func version(_ number: Int) -> Int { versions.withLock { $0[number] } }

  /// The oldest version that a request may get from now on.
  func leastVersion(_ number: Int) -> Int { changed.withLock { $0[number] } }

  func recordChange(_ number: Int, to version: Int) { changed.withLock { $0[number] = max($0[number], version) } }

  /// The content of a version: some are small, some have a file of their own in a store on the disk.
  static func bytes(_ number: Int, _ version: Int) -> [UInt8] {
    let count = [1, 900, 15_000, 20_000, 70_000, 90_000][number % 6] + version % 7
    // Eight bytes at a time: tests are debug builds.
    let words = (0...count / 8).map { UInt64(number) << 48 | UInt64(version) << 32 | UInt64($0) }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }
}

/// One of the tasks.
private struct Client: Sendable {
  let origin: ChangingOrigin
  let cache: HTTPCache
  let session: Session
  let neighbour: (origin: ChangingOrigin, session: Session)?
  let random: SplitMix

  func run(_ rounds: Int) async {
    var random = random
    for _ in 0..<rounds {
      // Low numbers more often than others.
      let number = min(
        Int.random(in: 0..<ChangingOrigin.count, using: &random),
        Int.random(in: 0..<ChangingOrigin.count, using: &random))
      switch Int.random(in: 0..<20, using: &random) {
      case 0: await change(number)
      case 1: try? await cache.remove(origin.url(number))
      case 2: try? await cache.removeAll { $0.length > 60_000 }
      case 3: await read(number, policy: .validate)
      case 4: await read(number, policy: .reload)
      case 5: await cancel(number, after: Int.random(in: 0..<4, using: &random))
      case 6: await readRange(number)
      case 7: _ = try? await cache.entries
      case 8 where neighbour != nil: await readBeside(number)
      default: await read(number)
      }
    }
  }

  /// Reads a response, and checks that it is one of the server's, and not older than a change before the request.
  private func read(_ number: Int, policy: CachePolicy = .byProtocol) async {
    let least = origin.leastVersion(number)
    let response = await session.request(origin.url(number)).cachePolicy(policy).serializingData().response
    // A request that reads another one's response, which is cancelled, cannot get the rest of a content that has changed.
    if response.error?.kind == .connectionLost, let version = version(response.response) {
      #expect(version < origin.version(number), "\(number), version \(version)")
      return
    }
    #expect(response.error == nil)
    check(number, response.response, response.data, least: least)
  }

  private func readBeside(_ number: Int) async {
    guard let (origin, session) = neighbour else { return }
    let response = await session.request(origin.url(number)).serializingData().response
    #expect(response.error == nil)
    check(number, response.response, response.data, least: 1)
  }

  private func readRange(_ number: Int) async {
    let response = await session.request(origin.url(number), headers: [.range: "bytes=100-299"]).serializingData()
      .response
    guard response.response?.status == .partialContent, let version = version(response.response) else { return }
    #expect(Array(response.data ?? Data()) == Array(ChangingOrigin.bytes(number, version).dropFirst(100).prefix(200)))
  }

  /// Reads the first pieces of a response alone.
  private func cancel(_ number: Int, after pieces: Int) async {
    let request = session.streamRequest(origin.url(number))
    var count = 0
    do {
      for try await _ in request.serializingBytes() {
        count += 1
        if count > pieces { break }
      }
    } catch {
      Issue.record("\(error)")
    }
    request.cancel()
  }

  /// Changes a resource, and records its version; a response to a later request must not be older.
  private func change(_ number: Int) async {
    let response = await session.request(origin.url(number), method: .post).serializingData().response
    guard let tag = response.response?.headerFields[.eTag], let version = Int(tag.dropFirst().dropLast()) else {
      Issue.record("\(response)")
      return
    }
    origin.recordChange(number, to: version)
    await read(number)
  }

  private func check(_ number: Int, _ head: HTTPResponse?, _ data: Data?, least: Int) {
    guard let version = version(head) else {
      Issue.record("no version in \(String(describing: head))")
      return
    }
    #expect(version >= least, "an outdated version of \(number)")
    #expect(Array(data ?? Data()) == ChangingOrigin.bytes(number, version), "\(number), version \(version)")
  }

  private func version(_ head: HTTPResponse?) -> Int? {
    head?.headerFields[.contentLocation]?.split(separator: "/").last.flatMap { Int($0) }
  }
}
