import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import LupineSession
import Testing

@testable import LupineTransferQueue

/// Commands that a runner starts when all transfers of a group have ended.
@Suite(.timeLimit(.minutes(1))) struct GroupHookTests {
  private let stage: QueueStage

  init() throws {
    stage = try QueueStage()
    stage.mock.stub(.get, "/{name}", .data(Data("x".utf8)))
  }

  private func member(_ name: String, of group: String = "photos") -> QueuedTransfer {
    var transfer = stage.download(name)
    transfer.group = group
    return transfer
  }

  private func runner(_ log: @escaping @Sendable (String) -> Void = { _ in }) throws -> TransferRunner {
    try TransferRunner(at: stage.queueFolder, log: log) { _ in try stage.session() }
  }

  private func visitor() throws -> TransferQueue { try stage.queue { $0.runsTransfers = false } }

  /// A command that appends its arguments and its environment to a file.
  private var script: String { stage.folder.file("hook") }
  private var output: String { stage.folder.file("output") }

  private func writeScript(_ text: String) {
    _ = FileManager.default.createFile(atPath: script, contents: Data("#!/bin/sh\n\(text)\n".utf8))
    chmod(script, 0o700)
  }

  private func lines() -> [String] {
    String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Waits until a hook of the folder has the number of ended completions.
  private func waitForHook(_ queue: TransferQueue, ended: Int64, group: String = "photos") async throws -> GroupHook {
    for await _ in queue.updates {
      if let hook = try await queue.hooks.first(where: { $0.group == group }), hook.ended >= ended { return hook }
    }
    throw CancellationError()
  }

  /// Runs a runner while the closure runs.
  private func whileRunning(
    _ runner: TransferRunner, _ work: (TransferQueue) async throws -> Void
  ) async throws {
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    async let run: Void = runner.run { isReady.yield() }
    for await _ in ready { break }
    let queue = try visitor()
    try await work(queue)
    await queue.close()
    runner.stop()
    try await run
  }

  @Test func `the hook starts once when all transfers of the group have ended, and again for later ones`()
    async throws
  {
    writeScript("echo \"$# $1 $2 $LUPINE_GROUP\" >> \(output)")
    let queue = try visitor()
    try await queue.setHook([script, "first"], forGroup: "photos")
    try await queue.add([member("a"), member("b"), member("c"), stage.download("other")])
    let paused = try await queue.add(member("d"))
    try await queue.pause(paused)
    await queue.close()
    try await whileRunning(try runner()) { (queue) async throws in
      for await transfers in queue.updates where transfers.filter({ $0.state == .finished }).count == 4 { break }
      #expect(lines() == [])
      #expect(try await queue.hooks.first?.isDue == false)
      try await queue.remove(paused)
      let hook = try await waitForHook(queue, ended: 1)
      #expect(hook.exitCode == 0)
      #expect(lines() == ["2 first photos photos"])
      let failing = try await queue.add(.download("https://example.com/x/missing", to: .file(stage.file("m"))))
      try await queue.remove(failing)
      try await queue.add(member("e"))
      #expect(try await waitForHook(queue, ended: 2).completions == 2)
      #expect(lines().count == 2)
    }
    // The next runner finds nothing to start.
    try await whileRunning(try runner()) { (queue) async throws in #expect(try await queue.hooks.first?.isDue == false)
    }
    #expect(lines().count == 2)
  }

  @Test func `a hook that hangs holds up no transfer, and is ended with the runner and started again`() async throws {
    writeScript("echo started >> \(output); trap '' TERM; sleep 1000 & wait; wait")
    let queue = try visitor()
    try await queue.setHook([script], forGroup: "photos")
    try await queue.add(member("a"))
    await queue.close()
    try await whileRunning(try runner()) { (queue) async throws in
      while lines().isEmpty { await Task.yield() }
      let id = try await queue.add(stage.download("b"))
      for await transfers in queue.updates where transfers.contains(where: { $0.id == id && $0.state == .finished }) {
        break
      }
    }
    writeScript("echo again >> \(output)")
    try await whileRunning(try runner()) { (queue) async throws in
      #expect(try await waitForHook(queue, ended: 1).exitCode == 0)
    }
    #expect(lines() == ["started", "again"])
  }

  @Test(arguments: [(0, ["started"]), (3, ["started", "again"])])
  func `a hook that says 0 while the runner ends is done, and any other one is started again`(
    code: Int, expected: [String]
  ) async throws {
    writeScript("trap 'kill $child; exit \(code)' TERM; sleep 1000 & child=$!; echo started >> \(output); wait")
    let queue = try visitor()
    try await queue.setHook([script], forGroup: "photos")
    try await queue.add(member("a"))
    await queue.close()
    try await whileRunning(try runner()) { _ in while lines().isEmpty { await Task.yield() } }
    writeScript("echo again >> \(output)")
    try await whileRunning(try runner()) { (queue) async throws in
      #expect(try await waitForHook(queue, ended: 1).exitCode == 0)
    }
    #expect(lines() == expected)
  }

  @Test func `an exit code that could not be stored before the runner ends is stored at its end`() async throws {
    writeScript("exit 3")
    let hooks = RunningHooks { _ in }
    var hook = GroupHook(group: "photos", command: [script])
    hook.completions = 2
    #expect(hooks.reserve("photos"))
    let end = try #require(await hooks.ending(of: hook, isNeeded: true))
    #expect(end == .hookEnded("photos", completion: 2, code: 3))
    let clock = SessionClock(TestClock(), executor: nil)
    #expect(await hooks.stop(on: clock) == [end])
    hooks.release("photos")
    #expect(await hooks.stop(on: clock) == [])
  }

  @Test func `a program that cannot be started has the exit code 127, and one that is killed more than 128`()
    async throws
  {
    writeScript("kill -9 $$")
    let queue = try visitor()
    try await queue.setHook(["/nowhere/program"], forGroup: "photos")
    try await queue.setHook([script], forGroup: "killed")
    try await queue.add([member("a"), member("b", of: "killed")])
    await queue.close()
    try await whileRunning(try runner()) { (queue) async throws in
      #expect(try await waitForHook(queue, ended: 1).exitCode == 127)
      #expect(try await waitForHook(queue, ended: 1, group: "killed").exitCode == 137)
    }
  }

  @Test func `no hook starts for a group whose events a program has acknowledged`() async throws {
    writeScript("echo started >> \(output)")
    let queue = try stage.queue()
    try await queue.setHook([script], forGroup: "photos")
    try await queue.add(member("a"))
    _ = try await queue.next(1)
    #expect(try await queue.hooks.first?.isDue == true)
    await queue.close()
    try await whileRunning(try runner()) { (queue) async throws in
      #expect(try await waitForHook(queue, ended: 1).exitCode == nil)
    }
    #expect(lines() == [])
  }

  @Test func `a hook that was removed and stored again while its command ran starts at its next completion`()
    async throws
  {
    let queue = try visitor()
    try await queue.setHook(["/bin/true"], forGroup: "photos")
    try await queue.engine.change { (opened) throws(SQLiteFailure) in
      // The command was started for a completion of the hook that was removed.
      try opened.database.endHook("photos", completion: 3, code: 0)
      try opened.database.completeGroup("photos")
      return []
    }
    #expect(try await queue.hooks.first?.isDue == true)
    await queue.close()
  }

  @Test(arguments: [[], ["relative/program"], ["sh", "-c"], ["/bin/echo", "a\0b"]])
  func `a command without an absolute path is refused`(command: [String]) async throws {
    let queue = try visitor()
    await #expect(throws: LupineError.self) { try await queue.setHook(command, forGroup: "photos") }
    await #expect(throws: LupineError.self) { try await queue.setHook(["/bin/true"], forGroup: "a\nb") }
    #expect(try await queue.hooks == [])
    await queue.close()
  }
}
