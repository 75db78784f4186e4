import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineResumableUpload
import LupineSession
import LupineSQLiteConnection
import Testing

@testable import LupineTransferQueue

/// Queues while another process holds a lock, and the locks that a queue holds while it closes.
@Suite(.timeLimit(.minutes(1))) struct HeldLockTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  /// Holds a lock of the folder, as another process does, until the file is closed.
  private func lock(_ name: String) throws -> FileHandle {
    let path = "\(stage.queueFolder)/\(name)"
    let file = FileHandle(fileDescriptor: open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600), closeOnDealloc: true)
    #expect(flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    return file
  }

  /// Holds the lock of the database in another process until the closure returns.
  private func whileDatabaseIsLocked(_ work: () async throws -> Void) async throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = try Program.url("QueueProbe")
    process.arguments = [stage.folder.path, "lock"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.availableData.count > 0)
    try await work()
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  @Test func `the lock of the runner is held until the transfers of a closed queue have stopped`() async throws {
    let (began, ends) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    stage.mock.stub(.get, "/a", .data(Data("a".utf8)))
    let first = try stage.queue(clock: TestClock()) { configuration in
      configuration.refreshURL = { snapshot in
        began.continuation.yield()
        // Does not end with the cancellation.
        await Task { for await _ in ends.stream { break } }.value
        return snapshot.url
      }
    }
    var transfer = stage.download("a")
    transfer.asksForURL = true
    try await first.add(transfer)
    for await _ in began.stream { break }
    let closing = Task { await first.close() }
    while await !first.engine.isClosed { await Task.yield() }
    let second = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await !second.isRunner)
    ends.continuation.yield()
    await closing.value
    #expect(try await second.takeOver())
    #expect(try await second.transfers.count == 1)
    await second.close()
  }

  @Test func `events wait while the folder cannot be opened`() async throws {
    stage.mock.stub(.get, "/a", .data(Data("a".utf8)))
    let first = try stage.queue()
    try await first.add(stage.download("a"))
    let told = await first.peek()
    await first.close()
    let file = try lock("lock")
    let second = try stage.queue(patience: .milliseconds(10))
    async let found = second.peek()
    for _ in 0..<3 { await #expect(throws: LupineError.self) { try await second.transfers } }
    try file.close()
    #expect(await found == told)
    #expect(told != nil)
    await second.close()
  }

  @Test func `a complete download is placed later if the database is locked`() async throws {
    let (began, ends) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    stage.mock.stub(.get, "/a") { _ in
      began.continuation.yield()
      for await _ in ends.stream { break }
      return .data(Data("a".utf8))
    }
    let clock = TestClock()
    let queue = try stage.queue(clock: clock, patience: .milliseconds(10))
    try await queue.add(stage.download("a"))
    for await _ in began.stream { break }
    try await whileDatabaseIsLocked {
      ends.continuation.yield()
      while await queue.engine.backlog.inputs.isEmpty { await Task.yield() }
    }
    clock.advance(by: .seconds(1))
    let event = try #require(try await queue.next(1).first)
    #expect(event.isFinished, "\(event)")
    #expect(stage.content("a") == Data("a".utf8))
    #expect(stage.names == ["a"])
    await queue.close()
  }

  @Test func `a removed transfer leaves the folder also if the database is locked meanwhile`() async throws {
    let (began, ends) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    stage.mock.stub(.post, "/a", .status(.notFound))
    let clock = TestClock()
    let queue = try stage.queue(clock: clock, patience: .milliseconds(10)) { configuration in
      configuration.resumption = TransferQueue.UploadResumption { upload, name, store in
        upload.resumable().checkpoint(name, in: store)
      } discard: { _, _, _ in
        began.continuation.yield()
        for await _ in ends.stream { break }
      }
    }
    let id = try await queue.add(.upload(file: try stage.folder.write("a", to: "sent"), to: "https://example.com/a"))
    #expect(try await queue.next(1).first?.failure != nil)
    try await queue.remove(id)
    for await _ in began.stream { break }
    try await whileDatabaseIsLocked {
      ends.continuation.yield()
      while await queue.engine.backlog.timer == nil { await Task.yield() }
    }
    clock.advance(by: .seconds(1))
    while await !queue.engine.machine.items.isEmpty { await Task.yield() }
    #expect(try await queue.transfers == [])
    await queue.close()
  }

  @Test func `an event that a second queue has acknowledged does not come again`() async throws {
    stage.mock.stub(.get, "/a", .data(Data("a".utf8)))
    let first = try stage.queue()
    try await first.add(stage.download("a"))
    let told = try #require(await first.peek())
    await first.close()
    // A runner that has not heard of the acknowledgement yet.
    let second = try stage.queue { $0.runsTransfers = false }
    #expect(try await !second.isRunner)
    #expect(await second.peek() == told)
    try await second.acknowledge(told)
    #expect(await second.peek() == nil)
    await second.close()
  }

  @Test func `a reader is not told an event that another task has acknowledged meanwhile`() async throws {
    stage.mock.stub(.get, "/{name}", .data(Data("a".utf8)))
    let queue = try stage.queue()
    try await queue.add([stage.download("a"), stage.download("b")])
    while try await queue.transfers.contains(where: { $0.state != .finished }) { await Task.yield() }
    var reader = queue.events.makeAsyncIterator()
    let first = try #require(await reader.next())
    #expect(try await queue.next(2).first == first)
    let last = try await queue.add(stage.download("c"))
    #expect(await reader.next()?.transfer == last)
    await queue.close()
  }

  @Test(.timeLimit(.minutes(1))) func `the progress of a closed queue ends`() async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let id = try await queue.add(stage.download("a"))
    await queue.close()
    for await progress in queue.progress(of: id) { Issue.record("\(progress)") }
  }
}
