import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Synchronization
import Testing

@testable import LupineTransferQueue

@Suite(.timeLimit(.minutes(1))) struct TransferQueueTests {
  struct Purpose: Codable, Equatable { let name: String }

  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  @Test func `a download arrives at its destination, and its event brings the program's data`() async throws {
    stage.mock.stub(.get, "/a", .resource(Data("hello".utf8), etag: "1"))
    let queue = try stage.queue()
    let id = try await queue.add(stage.download("a"), data: Purpose(name: "greeting"))
    let event = try #require(try await queue.next(1).first)
    #expect(event.transfer == id)
    #expect(event.kind == .finished(TransferResult(path: stage.file("a"), status: 200)))
    #expect(try event.value(of: Purpose.self) == Purpose(name: "greeting"))
    #expect(stage.content("a") == Data("hello".utf8))
    #expect(stage.names == ["a"])
    #expect(try await queue.transfers == [])
    // Ends at once: the transfer has ended.
    for await progress in queue.progress(of: id) { Issue.record("\(progress)") }
    await queue.close()
  }

  @Test func `an event comes again after a restart until it is acknowledged, and never after`() async throws {
    stage.mock.stub(.get, "/a", .data(Data("hello".utf8)))
    let first = try stage.queue()
    let id = try await first.add(stage.download("a"))
    let told = try #require(await first.peek())
    await first.close()
    let second = try stage.queue()
    let again = try #require(await second.peek())
    #expect(again == told)
    #expect(try await second.transfer(id)?.state == .finished)
    try await second.acknowledge(again)
    await second.close()
    let third = try stage.queue()
    stage.mock.stub(.get, "/b", .data(Data("b".utf8)))
    let later = try await third.add(stage.download("b"))
    #expect(later > id)
    #expect(try #require(await third.peek()).transfer == later)
    await third.close()
  }

  @Test func `a transfer that was added continues in the next process`() async throws {
    let conditions = FakeNetwork(.unavailable)
    let first = try stage.queue { $0.network = conditions }
    let ids = try await first.add([stage.download("a"), stage.download("b")])
    #expect(try await first.transfers.map(\.state) == [.waiting, .waiting])
    await first.close()
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let second = try stage.queue()
    #expect(Set(try await second.next(2).map(\.transfer)) == Set(ids))
    #expect(stage.names == ["a", "b"])
    await second.close()
  }

  @Test func `nothing starts while there is no network, and a failure without a network waits for one`() async throws {
    let network = FakeNetwork(.available)
    let (began, ends) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    stage.mock.stub(.get, "/a", count: .times(1)) { _ in
      began.continuation.yield()
      for await _ in ends.stream { break }
      return .failure(.networkUnreachable)
    }
    let queue = try stage.queue {
      $0.network = network
      $0.retries = (0, .zero)
    }
    let id = try await queue.add(stage.download("a"))
    for await _ in began.stream { break }
    network.set(.unavailable)
    while await queue.engine.machine.isOnline { await Task.yield() }
    ends.continuation.yield()
    while try await queue.transfer(id)?.state != .waitingForNetwork { await Task.yield() }
    stage.mock.stub(.get, "/a", .data(Data("late".utf8)))
    network.set(.available)
    #expect(try #require(try await queue.next(1).first).isFinished)
    await queue.close()
  }

  @Test func `a failure is told once, and a resumed transfer tries again`() async throws {
    stage.mock.stub(.get, "/a", count: .times(1), .status(.notFound))
    let queue = try stage.queue()
    let id = try await queue.add(stage.download("a"))
    let failed = try #require(try await queue.next(1).first)
    #expect(failed.failure?.status == 404)
    #expect(try await queue.transfer(id)?.state == .failed)
    stage.mock.stub(.get, "/a", .data(Data("now".utf8)))
    try await queue.resume(id)
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(stage.content("a") == Data("now".utf8))
    await queue.close()
  }

  @Test func `a paused transfer waits, also in the next process, until it is resumed`() async throws {
    stage.mock.stub(.get, "/a", .data(Data("a".utf8)))
    let network = FakeNetwork(.unavailable)
    let first = try stage.queue { $0.network = network }
    let id = try await first.add(stage.download("a"))
    try await first.pause(id)
    #expect(try await first.transfer(id)?.state == .paused)
    await first.close()
    let second = try stage.queue()
    #expect(try await second.transfer(id)?.state == .paused)
    try await second.resume(id)
    #expect(try #require(try await second.next(1).first).isFinished)
    await second.close()
  }

  @Test func `a transfer that is paused while it runs continues with the rest of the file`() async throws {
    let data = Data.pattern(100_000)
    let began = AsyncStream.makeStream(of: Void.self)
    stage.mock.stub(.get, "/a") { request in
      began.continuation.yield()
      let reply = MockReply.resource(data, etag: "1")
      return request.headers[.range] == nil ? reply.stall(afterBytes: 50_000) : reply
    }
    let queue = try stage.queue(try stage.session { $0.clock(TestClock()) })
    let id = try await queue.add(stage.download("a"))
    for await _ in began.stream { break }
    for await progress in queue.progress(of: id) where progress.completed >= 50_000 { break }
    try await queue.pause(id)
    #expect(try await queue.transfer(id)?.state == .paused)
    try await queue.resume(id)
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(stage.content("a") == data)
    #expect(stage.mock.requests.last?.headers[.range] == "bytes=50000-")
    await queue.close()
  }

  @Test func `a list after a restart has the bytes of a download that are on the disk`() async throws {
    let data = Data.pattern(100_000)
    stage.mock.stub(.get, "/{name}", .resource(data, etag: "1").stall(afterBytes: 50_000))
    let first = try stage.queue(try stage.session { $0.clock(TestClock()) })
    let ids = try await first.add([stage.download("a"), stage.download("b")])
    for id in ids { for await progress in first.progress(of: id) where progress.completed >= 50_000 { break } }
    try await first.pause(ids[0])
    await first.close()
    let second = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    for transfer in try await second.transfers {
      #expect(transfer.completed == 50_000, "\(transfer)")
      #expect(transfer.total == 100_000, "\(transfer)")
    }
    #expect(try await second.transfer(ids[0])?.completed == 50_000)
    let other = try stage.queue { $0.runsTransfers = false }
    #expect(try await other.transfers.map(\.completed) == [50_000, 50_000])
    await other.close()
    try await second.cancel(ids[1])
    #expect(try await second.transfer(ids[1])?.completed == 0)
    await second.close()
  }

  @Test func `a cancelled transfer leaves no file, and a removed one no event`() async throws {
    let data = Data.pattern(100_000)
    stage.mock.stub(.get, "/{name}", .resource(data, etag: "1").stall(afterBytes: 50_000))
    let queue = try stage.queue(try stage.session { $0.clock(TestClock()) })
    let ids = try await queue.add([stage.download("a"), stage.download("b")])
    for id in ids { for await progress in queue.progress(of: id) where progress.completed >= 50_000 { break } }
    try await queue.cancel(ids[0])
    try await queue.remove(ids[1])
    let event = try #require(try await queue.next(1).first)
    #expect(event.kind == .cancelled)
    #expect(event.transfer == ids[0])
    while await !queue.engine.machine.items.isEmpty { await Task.yield() }
    #expect(try await queue.transfers == [])
    #expect(stage.names == [])
    await queue.close()
  }

  @Test func `a file that is at the destination fails the transfer, and may be replaced if the options say so`()
    async throws
  {
    stage.mock.stub(.get, "/{name}", .data(Data("new".utf8)))
    try stage.folder.write("old", to: "files/a")
    try stage.folder.write("old", to: "files/b")
    let queue = try stage.queue()
    try await queue.add(stage.download("a"))
    let failure = try #require(try await queue.next(1).first?.failure)
    #expect(failure.message.contains("already a file"))
    // Nothing is downloaded in vain.
    #expect(stage.mock.requests.isEmpty)
    #expect(stage.content("a") == Data("old".utf8))
    try await queue.add(.download("https://example.com/b", to: .file(stage.file("b"), .removePreviousFile)))
    #expect(try #require(try await queue.next(1).first).isFinished)
    #expect(stage.content("b") == Data("new".utf8))
    await queue.close()
  }

  @Test func `a file with another digest fails the transfer`() async throws {
    stage.mock.stub(.get, "/a", .data(Data("hello".utf8)))
    let queue = try stage.queue()
    let wrong = ExpectedDigest.sha256(String(repeating: "0", count: 64))
    try await queue.add(.download("https://example.com/a", to: .file(stage.file("a")), expecting: wrong))
    #expect(try await queue.next(1).first?.failure?.kind == "digestMismatch")
    #expect(stage.names == [])
    await queue.close()
  }

  @Test func `a file and a form are uploaded, and the form leaves the folder`() async throws {
    stage.mock.stub(.post, "/{name}", .text("thanks"))
    let queue = try stage.queue()
    let path = try stage.folder.write("a file", to: "sent")
    try await queue.add(.upload(file: path, to: "https://example.com/file"))
    let form = try OutgoingRequest(
      "https://example.com/form", method: .post, headers: [.contentType: "text/x"], body: .text("a form"))
    try await queue.add(.upload(form))
    let events = try await queue.next(2)
    #expect(
      events.allSatisfy { $0.kind == .finished(TransferResult(status: 200, response: Data("thanks".utf8))) })
    let bodies = stage.mock.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(Set(bodies) == ["a file", "a form"])
    #expect(stage.mock.requests.contains { $0.headers[.contentType] == "text/x" })
    while await !queue.engine.machine.items.isEmpty { await Task.yield() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.queueFolder + "/forms") == [])
    await queue.close()
  }

  @Test func `a form whose process ended before it was added is removed by the next one`() async throws {
    let first = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let form = try OutgoingRequest("https://example.com/form", method: .post, body: .text("a form"))
    try await first.add(.upload(form))
    await first.close()
    let forms = stage.queueFolder + "/forms"
    let kept = try FileManager.default.contentsOfDirectory(atPath: forms)
    try stage.folder.write("half of a form", to: "queue/forms/0123456789abcdef")
    let second = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await second.transfers.count == 1)
    #expect(kept.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: forms) == kept)
    await second.close()
  }

  @Test func `a part that a killed process has left goes with the end of its transfer, also after a pause`()
    async throws
  {
    stage.mock.stub(.get, "/a", .data(Data("x".utf8)))
    let first = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let id = try await first.add(stage.download("a"))
    try await first.pause(id)
    let row = try #require(try await first.engine.row(id))
    let staged = row.record.stagedPath(.file(stage.file("a")), id)
    let name = URL(filePath: staged).lastPathComponent
    try stage.folder.write("half", to: "files/.\(name).part")
    await first.close()
    let second = try stage.queue()
    try await second.resume(id)
    #expect(try await second.next(1).first?.isFinished == true)
    #expect(stage.names == ["a"])
    await second.close()
  }

  @Test func `a deadline that is no number is refused`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var transfer = stage.download("a")
    transfer.deadline = Date(timeIntervalSince1970: .nan)
    let refused = transfer
    await #expect(throws: LupineError.self) { try await queue.add(refused) }
    #expect(try await queue.transfers == [])
    await queue.close()
  }

  @Test func `a relative path is one of the folder in which the transfer was added`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let here = FileManager.default.currentDirectoryPath
    try await queue.add([
      .download("https://example.com/a", to: .file("b/a")), .upload(file: "b/c", to: "https://example.com/c"),
    ])
    #expect(try await queue.transfers.map(\.path) == ["\(here)/b/a", "\(here)/b/c"])
    await queue.close()
  }

  @Test func `the deadline is a date, whatever the clock of the machine does meanwhile`() async throws {
    let network = FakeNetwork(.unavailable)
    let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let clock = TestClock()
    let session = try stage.session { $0.clock(clock).now { date.withLock { $0 } } }
    let queue = try stage.queue(session, clock: clock) { $0.network = network }
    var transfer = stage.download("a")
    transfer.deadline = Date(timeIntervalSince1970: 1_800_000_100)
    let id = try await queue.add(transfer)
    // Set back by a day, and forth by an hour: the timer fires, and the date has not come.
    date.withLock { $0 -= 86_400 }
    clock.advance(by: .seconds(100))
    try await queue.add(stage.download("b"))
    #expect(try await queue.transfer(id)?.state == .waiting)
    date.withLock { $0 += 90_000 }
    try await queue.add(stage.download("c"))
    #expect(try await queue.next(1).first?.failure?.kind == "timedOut(total)")
    await queue.close()
  }

  @Test func `a date that is set forth beyond a deadline is noticed within five minutes, without any call`()
    async throws
  {
    let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let clock = CountingClock()
    let session = try stage.session { $0.now { date.withLock { $0 } } }
    let queue = try stage.queue(session, clock: clock) { $0.network = FakeNetwork(.unavailable) }
    var transfer = stage.download("a")
    transfer.deadline = Date(timeIntervalSince1970: 1_800_036_000)
    try await queue.add(transfer)
    let transactions = await queue.engine.transactions
    clock.base.advance(by: .seconds(300))
    // The date has not come: the queue sets the next timer, and does not use its database.
    while clock.calls == 1 { await Task.yield() }
    #expect(await queue.engine.transactions == transactions)
    date.withLock { $0 += 40_000 }
    clock.base.advance(by: .seconds(300))
    #expect(try await queue.next(1).first?.failure?.kind == "timedOut(total)")
    #expect(clock.calls == 2)
    await queue.close()
  }
}

extension QueueEngine {
  fileprivate func row(_ id: TransferID) throws -> TransferRow? { try opened?.database.row(id) }
}
