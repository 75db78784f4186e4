import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import Testing

@testable import LupineTransferQueue

/// A folder that several queues have open, in this process and in others.
@Suite(.timeLimit(.minutes(1))) struct SecondOpenerTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  /// Starts a program, and waits for its first line.
  private func start(_ arguments: [String]) throws -> (process: Process, input: Pipe, output: Pipe) {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = try Program.url("QueueProbe")
    process.arguments = [stage.folder.path] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.availableData.count > 0)
    return (process, input, output)
  }

  @Test func `a second queue adds, lists, pauses and removes, and the runner hears of it at once`() async throws {
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let runner = try stage.queue()
    #expect(try await runner.isRunner)
    let second = try stage.queue()
    #expect(try await !second.isRunner)
    let id = try await second.add(stage.download("a"))
    // The runner has no timer: only the notice can wake it.
    let event = try #require(await runner.peek())
    #expect(event.transfer == id)
    #expect(try await second.transfers.map(\.state) == [.finished])
    try await second.acknowledge(event)
    while try await !runner.transfers.isEmpty { await Task.yield() }
    await runner.close()
    let waiting = try await second.add(stage.download("b"))
    try await second.pause(waiting)
    #expect(try await second.transfers.map(\.state) == [.waiting])
    #expect(try await second.takeOver())
    #expect(try await second.transfers.map(\.state) == [.paused])
    try await second.remove(waiting)
    while await !second.engine.machine.items.isEmpty { await Task.yield() }
    #expect(try await second.transfers == [])
    await second.close()
  }

  @Test func `a transfer that another process adds runs at once`() async throws {
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let runner = try stage.queue()
    #expect(try await runner.isRunner)
    let lines = try Program.run("QueueProbe", [stage.folder.path, "add", "3"])
    #expect(lines.filter { $0.hasPrefix("wrong") } == [])
    #expect(try await runner.next(3).map(\.transfer.description).sorted() == Array(lines.prefix(3)))
    await runner.close()
  }

  @Test func `the lock of a runner in another process is free when that process is killed`() async throws {
    let program = try start(["hold"])
    let queue = try stage.queue()
    #expect(try await !queue.isRunner)
    #expect(try await !queue.takeOver())
    kill(program.process.processIdentifier, SIGKILL)
    program.process.waitUntilExit()
    #expect(try await queue.takeOver())
    await queue.close()
  }

  @Test func `a lock of the database that another process holds ends a call after a bounded time`() async throws {
    let queue = try stage.queue(clock: nil, patience: .milliseconds(50)) {
      $0.network = FakeNetwork(.unavailable)
    }
    #expect(try await queue.isRunner)
    let program = try start(["lock"])
    let error = await #expect(throws: LupineError.self) { try await queue.add(stage.download("a")) }
    #expect(error?.isStoreLocked == true)
    try program.input.fileHandleForWriting.close()
    program.process.waitUntilExit()
    try await queue.add(stage.download("a"))
    #expect(try await queue.transfers.count == 1)
    await queue.close()
  }

  @Test func `a file system without locks is refused`() throws {
    let lines = try Program.run("QueueProbe", [stage.folder.path, "unlocked"])
    #expect(lines.first?.contains("cannot be locked") == true, "\(lines)")
  }
}
