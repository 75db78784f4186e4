import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Testing

@testable import LupineTransferQueue

/// The bound on the bytes per second, in virtual time, and the cost of a queue that waits.
@Suite(.timeLimit(.minutes(2))) struct PaceTests {
  enum Kinds: CaseIterable {
    case downloads, uploads, both

    func isUpload(_ number: Int) -> Bool { self == .uploads || self == .both && number.isMultiple(of: 2) }
  }

  @Test(arguments: Kinds.allCases) func `all transfers together keep the bound on bytes within 5 percent`(
    kinds: Kinds
  ) async throws {
    let (count, size, rate) = (8, 500_000, 100_000)
    let elapsed = try await withSimulation { world in
      let stage = try QueueStage()
      let pieces = (0..<size / 10_000).map { _ in Data(repeating: 7, count: 10_000) }
      stage.mock.stub(.get, "/{name}", MockReply.status(.ok).chunked(pieces))
      stage.mock.stub(.post, "/{name}", .status(.ok))
      let queue = try stage.queue(try Session.Builder().transport(stage.mock).build(), clock: nil) {
        $0.bytesPerSecond = rate
        $0.limitPerHost = 4
      }
      let path = try stage.folder.write(Data(repeating: 7, count: size), to: "sent")
      let start = world.clock.now
      try await queue.add(
        (0..<count).map { number in
          kinds.isUpload(number)
            ? .upload(file: path, to: "https://example.com/\(number)") : stage.download("\(number)")
        })
      let events = try await queue.next(count)
      #expect(events.allSatisfy { $0.isFinished }, "\(events)")
      #expect(stage.mock.requests.count { $0.method == .post } == (0..<count).count { kinds.isUpload($0) })
      let elapsed = start.duration(to: world.clock.now)
      await queue.close()
      return elapsed
    }
    let expected = Double(count * size) / Double(rate)
    let seconds = elapsed / .seconds(1)
    #expect(abs(seconds - expected) <= expected * 0.05, "\(seconds) s instead of \(expected) s")
  }

  @Test func `long downloads leave others their share of the bound on bytes`() async throws {
    let elapsed = try await withSimulation { world in
      let stage = try QueueStage()
      let pieces = (0..<200).map { _ in Data(repeating: 7, count: 10_000) }
      stage.mock.stub(.get, "/long{name}", MockReply.status(.ok).chunked(pieces))
      stage.mock.stub(.get, "/short", .data(Data(count: 5_000)))
      stage.mock.stub(.post, "/sent", .status(.ok))
      let queue = try stage.queue(try Session.Builder().transport(stage.mock).build(), clock: nil) {
        $0.bytesPerSecond = 100_000
        $0.limitPerHost = 4
      }
      let path = try stage.folder.write(Data(count: 5_000), to: "sent")
      let long = try await queue.add([stage.download("long1"), stage.download("long2")])
      for id in long { for await progress in queue.progress(of: id) where progress.completed > 0 { break } }
      let start = world.clock.now
      try await queue.add([stage.download("short"), .upload(file: path, to: "https://example.com/sent")])
      let events = try await queue.next(2)
      #expect(Set(events.map(\.transfer)).isDisjoint(with: long), "\(events)")
      let elapsed = start.duration(to: world.clock.now)
      await queue.close()
      return elapsed
    }
    #expect(elapsed < .seconds(1), "\(elapsed)")
  }

  @Test func `a slow host holds up no other host`() async throws {
    let elapsed = try await withSimulation { world in
      let stage = try QueueStage()
      stage.mock.stub(
        .get, "https://slow.example/{name}", .data(Data(repeating: 1, count: 100_000)).bandwidth(bytesPerSecond: 10))
      stage.mock.stub(
        .get, "https://example.com/{name}", .data(Data(repeating: 1, count: 10_000)).bandwidth(bytesPerSecond: 10_000))
      let session = try Session.Builder().transport(stage.mock)
        .timeouts(connect: .seconds(10), idle: nil, total: nil).build()
      let queue = try stage.queue(session, clock: nil)
      let start = world.clock.now
      try await queue.add(
        (0..<5).map { .download("https://slow.example/\($0)", to: .file(stage.file("slow\($0)"))) }
          + (0..<6).map { stage.download("\($0)") })
      _ = try await queue.next(6)
      let elapsed = start.duration(to: world.clock.now)
      await queue.close()
      return elapsed
    }
    // Two at a time, a second each.
    #expect(elapsed < .seconds(4), "\(elapsed)")
  }

  @Test func `a slow host does not lower the rate of other hosts below the bound on bytes`() async throws {
    let (count, size, rate) = (6, 200_000, 100_000)
    let elapsed = try await withSimulation { world in
      let stage = try QueueStage()
      stage.mock.stub(
        .get, "https://slow.example/{name}", .data(Data(repeating: 1, count: 100_000)).bandwidth(bytesPerSecond: 10))
      let pieces = (0..<size / 10_000).map { _ in Data(repeating: 7, count: 10_000) }
      stage.mock.stub(.get, "https://example.com/{name}", MockReply.status(.ok).chunked(pieces))
      stage.mock.stub(.post, "https://example.com/{name}", .status(.ok))
      let session = try Session.Builder().transport(stage.mock)
        .timeouts(connect: .seconds(10), idle: nil, total: nil).build()
      let queue = try stage.queue(session, clock: nil) { $0.bytesPerSecond = rate }
      let path = try stage.folder.write(Data(repeating: 7, count: size), to: "sent")
      let slow = try await queue.add(
        (0..<3).map { .download("https://slow.example/\($0)", to: .file(stage.file("slow\($0)"))) })
      let start = world.clock.now
      try await queue.add(
        (0..<count).map { number in
          number.isMultiple(of: 2)
            ? .upload(file: path, to: "https://example.com/\(number)") : stage.download("\(number)")
        })
      let events = try await queue.next(count)
      #expect(events.allSatisfy { $0.isFinished && !slow.contains($0.transfer) }, "\(events)")
      let elapsed = start.duration(to: world.clock.now)
      await queue.close()
      return elapsed
    }
    let expected = Double(count * size) / Double(rate)
    let seconds = elapsed / .seconds(1)
    #expect(abs(seconds - expected) <= expected * 0.05, "\(seconds) s instead of \(expected) s")
  }

  @Test(arguments: [1, 2, 3, 4, 9]) func `one host gets half of the transfers by default, and at least one`(limit: Int)
  {
    #expect(TransferQueue.Configuration { $0.limit = limit }.limits.perHost == max(1, limit / 2))
    #expect(
      TransferQueue.Configuration { configuration in
        configuration.limit = limit
        configuration.limitPerHost = 7
      }.limits.perHost == 7)
  }

  @Test func `a host that answers nothing more holds up no other host, whatever the limit`() async throws {
    for limit in 2...4 {
      let stage = try QueueStage()
      stage.mock.stub(
        .get, "https://silent.example/{name}", .resource(.pattern(1_000), etag: "1").stall(afterBytes: 500))
      stage.mock.stub(.get, "/{name}", .data(Data("here".utf8)))
      // The clock stands still: no timeout ends the transfers of the silent host.
      let queue = try stage.queue(try stage.session { $0.clock(TestClock()) }, clock: TestClock()) { $0.limit = limit }
      let silent = try await queue.add(
        (0..<5).map { .download("https://silent.example/\($0)", to: .file(stage.file("silent\($0)"))) })
      for await progress in queue.progress(of: silent[0]) where progress.completed > 0 { break }
      let others = try await queue.add((0..<3).map { stage.download("\($0)") })
      #expect(Set(try await queue.next(3).map(\.transfer)) == Set(others), "\(limit)")
      #expect(try await queue.transfers.count { $0.state == .running } == limit / 2)
      await queue.close()
    }
  }

  @Test func `a thousand transfers are added in one transaction, and nothing wakes the queue then`() async throws {
    let stage = try QueueStage()
    let clock = CountingClock()
    let queue = try stage.queue(try stage.session(), clock: clock) { $0.network = FakeNetwork(.unavailable) }
    #expect(try await queue.isRunner)
    let before = await queue.engine.transactions
    let ids = try await queue.add((0..<1_000).map { stage.download("\($0)") })
    #expect(ids.count == 1_000)
    #expect(await queue.engine.transactions == before + 1)
    // Without a deadline, there is no timer that could wake the queue.
    clock.base.advance(by: .seconds(60))
    for _ in 0..<1_000 { await Task.yield() }
    #expect(clock.calls == 0)
    #expect(await queue.engine.transactions == before + 1)
    var one = stage.download("one")
    one.deadline = Date(timeIntervalSince1970: 9_000_000_000)
    try await queue.add(one)
    #expect(await queue.engine.transactions == before + 2)
    // Nothing is to be done: in a minute of virtual time, nothing wakes the queue. The timer is the one of the deadline.
    #expect(clock.calls == 1)
    let transactions = await queue.engine.transactions
    clock.base.advance(by: .seconds(60))
    for _ in 0..<1_000 { await Task.yield() }
    #expect(clock.calls == 1)
    #expect(await queue.engine.transactions == transactions)
    await queue.close()
  }
}
