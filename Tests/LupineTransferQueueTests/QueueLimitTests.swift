import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// The limits of a queue that runs, and the order in which its transfers start.
@Suite(.timeLimit(.minutes(1))) struct QueueLimitTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  private func download(_ name: String, from host: String) -> QueuedTransfer {
    .download("https://\(host).example/\(name)", to: .file(stage.file("\(host)-\(name)")))
  }

  @Test(arguments: [(limit: 3, perHost: 3), (4, 1), (5, 2), (1, 1)])
  func `no more transfers run than the limits allow, in all and of one host`(limit: Int, perHost: Int) async throws {
    let (began, ends) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    let counts = Mutex((now: [String: Int](), most: [String: Int](), mostInAll: 0))
    for host in ["a", "b", "c"] {
      stage.mock.stub(.get, "https://\(host).example/{name}") { _ in
        counts.withLock { counts in
          counts.now[host, default: 0] += 1
          counts.most[host] = max(counts.most[host] ?? 0, counts.now[host] ?? 0)
          counts.mostInAll = max(counts.mostInAll, counts.now.values.reduce(0, +))
        }
        began.continuation.yield()
        for await _ in ends.stream { break }
        counts.withLock { $0.now[host, default: 0] -= 1 }
        return .data(Data("x".utf8))
      }
    }
    let queue = try stage.queue { configuration in
      configuration.limit = limit
      configuration.limitPerHost = perHost
    }
    try await queue.add(
      ["a", "b", "c"].flatMap { host in (0..<6).map { download("\($0)", from: host) } })
    // As many as may run are under way before the first one ends.
    let places = min(limit, 3 * perHost)
    var beginnings = began.stream.makeAsyncIterator()
    for _ in 0..<places { await beginnings.next() }
    #expect(try await queue.transfers.count { $0.state == .running } == places)
    for _ in 0..<18 { ends.continuation.yield() }
    #expect(try await queue.next(18).allSatisfy { $0.isFinished })
    let (_, most, mostInAll) = counts.withLock { $0 }
    #expect(mostInAll == places)
    #expect(most.values.allSatisfy { $0 <= perHost }, "\(most)")
    #expect(most["a"] == min(limit, perHost))
    await queue.close()
  }

  @Test func `transfers start by priority, and within one in the order of addition and of moves, also after a restart`()
    async throws
  {
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let first = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var ids: [String: TransferID] = [:]
    let transfers: [(name: String, priority: TransferPriority)] = [
      ("low1", .low), ("normal1", .normal), ("high1", .high), ("normal2", .normal), ("high2", .high),
      ("normal3", .normal), ("low2", .low),
    ]
    for (name, priority) in transfers { ids[name] = try await first.add(stage.download(name), priority: priority) }
    let (normal1, normal3) = (try #require(ids["normal1"]), try #require(ids["normal3"]))
    try await first.move(normal3, to: .before(normal1))
    try await first.move(try #require(ids["low2"]), to: .front(of: .high))
    await first.close()
    let network = FakeNetwork(.unavailable)
    let second = try stage.queue { configuration in
      configuration.network = network
      configuration.limit = 1
    }
    try await second.add(stage.download("high3"), priority: .high)
    network.set(.available)
    _ = try await second.next(8)
    let paths = stage.mock.requests.map { String($0.url.path.dropFirst()) }
    #expect(paths == ["low2", "high1", "high2", "high3", "normal3", "normal1", "normal2", "low1"])
    await second.close()
  }
}
