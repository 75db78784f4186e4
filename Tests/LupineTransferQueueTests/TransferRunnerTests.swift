import Foundation
import LupineCore
import LupineMock
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// A runner without the program that has added the transfers.
@Suite(.timeLimit(.minutes(1))) struct TransferRunnerTests {
  private let stage: QueueStage

  init() throws {
    stage = try QueueStage()
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
  }

  private func runner() throws -> TransferRunner {
    try TransferRunner(at: stage.queueFolder) { _ in try stage.session() }
  }

  @Test func `a runner waits for the program that runs the transfers, and takes over when it ends`() async throws {
    let program = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    let id = try await program.add(stage.download("a"))
    let runner = try runner()
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    async let run: Void = runner.run { isReady.yield() }
    for await _ in ready { break }
    let status = try #require(try await TransferRunner.status(at: stage.queueFolder))
    #expect(status.process == ProcessInfo.processInfo.processIdentifier)
    #expect(status.text.contains("waits for process"))
    let second = try stage.queue { $0.runsTransfers = false }
    #expect(try await second.transfer(id)?.state == .waiting)
    await program.close()
    for await event in second.events { if event.transfer == id { break } }
    while try await second.transfer(id)?.state != .finished { _ = try await second.takeOver() }
    #expect(try await TransferRunner.status(at: stage.queueFolder)?.text == "runs the transfers")
    // A second runner says that there is one.
    let other = try self.runner()
    let error = await #expect(throws: LupineError.self) { try await other.run() }
    #expect(error?.message.contains("already: process") == true, "\(error?.message ?? "")")
    await second.close()
    #expect(try await TransferRunner.stop(at: stage.queueFolder) == status.process)
    try await run
    #expect(try await TransferRunner.status(at: stage.queueFolder) == nil)
    #expect(try await TransferRunner.stop(at: stage.queueFolder) == nil)
  }

  @Test func `two programs and a runner share a folder`() async throws {
    let runner = try runner()
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    async let run: Void = runner.run { isReady.yield() }
    for await _ in ready { break }
    let programs = [try stage.queue(), try stage.queue()]
    var ids: Set<TransferID> = []
    for (number, program) in programs.enumerated() {
      #expect(try await !program.isRunner)
      ids.insert(try await program.add(stage.download("\(number)")))
    }
    // Each hears of the transfers of both; an event that one of them acknowledges comes to neither again.
    for program in programs {
      var heard: Set<TransferID> = []
      for await event in program.events {
        #expect(event.isFinished)
        heard.insert(event.transfer)
        if heard == ids { break }
      }
    }
    for event in try await programs[0].unacknowledgedEvents { try await programs[0].acknowledge(event) }
    #expect(try await programs[1].unacknowledgedEvents == [])
    for await transfers in programs[1].updates where transfers.isEmpty { break }
    for program in programs { await program.close() }
    runner.stop()
    try await run
  }

  @Test func `a runner that is asked to stop begins nothing new, and its transfers continue later`() async throws {
    let began = AsyncStream.makeStream(of: Void.self)
    stage.mock.stub(.get, "/slow") { _ in
      began.continuation.yield()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return .data(Data("slow".utf8))
    }
    let queue = try stage.queue { $0.runsTransfers = false }
    let ids = try await queue.add([stage.download("slow")] + (0..<3).map { stage.download("\($0)") })
    var configuration = TransferQueue.Configuration()
    configuration.limit = 1
    let runner = try TransferRunner(at: stage.queueFolder, configuration: configuration) { _ in try stage.session() }
    async let run: Void = runner.run()
    for await _ in began.stream { break }
    runner.stop()
    try await run
    #expect(try await queue.transfers.map(\.state).allSatisfy { $0 == .running || $0 == .waiting })
    #expect(try await queue.transfer(ids[1])?.state == .waiting)
    await queue.close()
  }

  @Test func `a program hears of what a runner has done before it was connected`() async throws {
    let program = try stage.queue { $0.runsTransfers = false }
    try await program.add(stage.download("a"))
    var updates = program.updates.makeAsyncIterator()
    #expect(await updates.next()?.map(\.state) == [.waiting])
    let runner = try stage.queue()
    #expect(await runner.peek()?.isFinished == true)
    #expect(await updates.next()?.map(\.state) == [.finished])
    await runner.close()
    await program.close()
  }
}
