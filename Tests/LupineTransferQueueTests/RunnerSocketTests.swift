import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import LupineSession
import Testing

@testable import LupineTransferQueue

/// The socket of the process that runs the transfers of a folder.
@Suite(.timeLimit(.minutes(1))) struct RunnerSocketTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  private func socket() throws -> UnixSocket {
    UnixSocket(folder: try QueueFolder(at: stage.queueFolder), name: QueueRole.socketName)
  }

  /// A connection whose bytes a test writes.
  private func connection() throws -> FileHandle {
    guard let opened = try socket().connection(patience: .seconds(5)) else { throw CancellationError() }
    return FileHandle(fileDescriptor: dup(opened.number), closeOnDealloc: true)
  }

  /// Whether a new client is served.
  private func isServed() throws -> Bool { try RunnerLink.open(socket(), patience: .seconds(5)) != nil }

  @Test func `a second queue reads the events and the progress of the runner, and hears of its end`() async throws {
    let ends = AsyncStream.makeStream(of: Void.self)
    stage.mock.stub(.get, "/a") { _ in
      for await _ in ends.stream { break }
      return .data(Data.pattern(70_000))
    }
    let runner = try stage.queue()
    #expect(try await runner.isRunner)
    let second = try stage.queue()
    let id = try await second.add(stage.download("a"))
    let progress = second.progress(of: id)
    async let states: [TransferState?] = {
      var states: [TransferState?] = []
      for await transfers in second.updates { states.append(transfers.first?.state) }
      return states
    }()
    ends.continuation.yield()
    let event = try #require(await second.peek())
    #expect(event.transfer == id)
    #expect(event.isFinished)
    for await value in progress { #expect(value.completed <= 70_000) }
    #expect(try await second.unacknowledgedEvents == [event])
    try await second.acknowledge(event)
    // Only the end of the runner ends the sequence.
    async let next = second.peek()
    while try await !runner.transfers.isEmpty { await Task.yield() }
    await runner.close()
    #expect(await next == nil)
    #expect(await states.last == .some(nil))
    #expect(try await second.takeOver())
    await second.close()
  }

  @Test func `a queue that may not run transfers leaves them to others`() async throws {
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let visitor = try stage.queue { $0.runsTransfers = false }
    let id = try await visitor.add(stage.download("a"))
    #expect(try await !visitor.takeOver())
    #expect(try await visitor.transfer(id)?.state == .waiting)
    #expect(await visitor.peek() == nil)
    let runner = try stage.queue()
    #expect(try await runner.isRunner)
    // It is connected when it reads again.
    #expect(await visitor.peek()?.transfer == id)
    let next = try await visitor.add(stage.download("b"))
    var reader = visitor.events.makeAsyncIterator()
    _ = await reader.next()
    #expect(await reader.next()?.transfer == next)
    await visitor.close()
    await runner.close()
  }

  @Test(arguments: [
    "nonsense\n", "{}\n{}\n", "{\"protocol\":1}\n", String(repeating: "x", count: 100_000), "\n\n\n",
    String(repeating: "[", count: 4_000) + "\n", String(repeating: "{\"error\":", count: 400) + "\n",
  ])
  func `a client that sends bad lines is closed, and others are served`(text: String) async throws {
    let runner = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await runner.isRunner)
    let client = try connection()
    try? client.write(contentsOf: Data(text.utf8))
    // Ends because the runner closes the connection.
    let answer = (try? client.readToEnd()) ?? Data()
    #expect(answer.count < 1_000)
    #expect(try isServed())
    try await runner.add(stage.download("a"))
    await runner.close()
  }

  @Test func `a thousand connections, silent and flooding ones, leave the runner as it is`() async throws {
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let runner = try stage.queue()
    #expect(try await runner.isRunner)
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    var silent: [FileHandle] = []
    for number in 0..<1_000 {
      let client = try connection()
      if number.isMultiple(of: 10) { try? client.write(contentsOf: RunnerLine.hello.bytes.data) }
      if number >= 800 { silent.append(client) }
    }
    let flood = try connection()
    let request = RunnerLine(request: .notice).bytes.data
    try flood.write(contentsOf: RunnerLine.hello.bytes.data)
    for _ in 0..<5_000 { try? flood.write(contentsOf: request) }
    let second = try stage.queue()
    let id = try await second.add(stage.download("a"))
    #expect(try await runner.next(1).first?.transfer == id)
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    // The descriptors of this test, and those of the runner.
    #expect(after - before < silent.count + SocketServer.mostClients + 30)
    silent = []
    await second.close()
    await runner.close()
  }

  @Test func `a folder with a long path has a socket`() async throws {
    let folder = stage.folder.file(String(repeating: "long", count: 30)) + "/" + String(repeating: "x", count: 200)
    let session = try stage.session()
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
    let runner = try TransferQueue(at: folder, session: session, clock: ImmediateClock())
    #expect(try await runner.isRunner)
    let second = try TransferQueue(at: folder, session: session, clock: ImmediateClock())
    #expect(try await !second.isRunner)
    let id = try await second.add(stage.download("a"))
    #expect(try await runner.next(1).first?.transfer == id)
    #expect(try stage.mode(folder + "/socket") == 0o600)
    await second.close()
    await runner.close()
    #expect(!FileManager.default.fileExists(atPath: folder + "/socket"))
  }

  @Test func `a runner of another build is named with both versions`() async throws {
    let folder = try QueueFolder(at: stage.queueFolder)
    let lock = try #require(try folder.takeRunnerLock())
    let listener = try UnixSocket(folder: folder, name: QueueRole.socketName).listener()
    let queue = try stage.queue()
    async let error = #expect(throws: LupineError.self) { try await queue.transfers }
    let answer = RunnerLine(version: 0, tables: 7, process: 1).bytes
    // The queue connects when it is made, and again with the call.
    for _ in 0..<2 {
      var client = UnixSocket.accepted(by: listener.number)
      while client == nil {
        await Task.yield()
        client = UnixSocket.accepted(by: listener.number)
      }
      // An end with bytes that were not read would be a reset.
      var byte: UInt8 = 0
      while byte != UInt8(ascii: "\n") {
        if recv(client?.number ?? -1, &byte, 1, 0) != 1 { await Task.yield() }
      }
      _ = UnixSocket.send(answer[...], to: client?.number ?? -1)
    }
    let message = await error?.message ?? ""
    #expect(message.contains("another build"))
    #expect(message.contains("protocol 0, tables 7"))
    #expect(message.contains(RunnerLine.hello.versions))
    extendLifetime(lock)
    await queue.close()
  }

  @Test func `the error for a client of another build has both versions`() async throws {
    let runner = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    #expect(try await runner.isRunner)
    let client = try connection()
    try client.write(contentsOf: RunnerLine(version: 9, tables: 9).bytes.data)
    let lines = String(decoding: try client.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.last?.contains("protocol 9, tables 9") == true)
    #expect(lines.last?.contains(RunnerLine.hello.versions) == true)
    await runner.close()
  }

  @Test func `a lock without a socket is an error after a bounded time`() async throws {
    let lock = try QueueFolder(at: stage.queueFolder).takeRunnerLock()
    let queue = try stage.queue(patience: .milliseconds(30))
    let error = await #expect(throws: LupineError.self) { try await queue.transfers }
    #expect(error?.message.contains("does not listen") == true)
    extendLifetime(lock)
    await queue.close()
  }
}

extension [UInt8] {
  fileprivate var data: Data { Data(self) }
}
