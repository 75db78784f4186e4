import Foundation
import Glibc
import LupineFixtures
import LupineTransferQueue
import Testing

/// A runner as a process of its own, and the hooks that it starts.
@Suite(.timeLimit(.minutes(1))) struct RunnerProcessTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try .inMemory()
    try FileManager.default.createDirectory(atPath: folder.file("files"), withIntermediateDirectories: false)
  }

  /// Starts a runner, and waits until it runs the transfers or waits for the process that does.
  private func runner(environment: [String: String] = [:], under wrapper: [String] = []) throws -> ProbeRun {
    let runner = try ProbeRun(folder, ["runner"], environment: environment, under: wrapper)
    #expect(runner.nextOutput() == "ready\n")
    return runner
  }

  /// Adds transfers, as a program that ends before they run.
  private func fill() throws { #expect(try Program.run("QueueProbe", [folder.path, "fill", "5"]) == ["done"]) }

  @Test func `a hook whose runner is killed is started again for the same completion, and not after its end`()
    async throws
  {
    let gate = folder.file("gate")
    mkfifo(gate, 0o600)
    try folder.writeHook("echo \"$LUPINE_COMPLETION $$\"; exec cat '\(gate)'")
    try fill()
    let first = try runner()
    var words = first.nextHookLine().split(separator: " ")
    #expect(words.first == "1")
    first.kill()
    // The hook waits at the gate, and knows nothing of the end of its runner.
    #expect(kill(try #require(words.last.flatMap { pid_t($0) }), SIGKILL) == 0)
    #expect(try first.end().wasKilled)
    #expect(try GroupCompletions(folder).ended == 0)
    let second = try runner()
    words = second.nextHookLine().split(separator: " ")
    #expect(words.first == "1")
    // Opens as soon as the hook waits there.
    try #require(FileHandle(forWritingAtPath: gate)).write(contentsOf: Data("opened\n".utf8))
    try await GroupCompletions.wait(for: 1, in: folder)
    #expect(try second.end().hookLines == ["opened"])
    #expect(try runner().end().hookLines == [])
    #expect(try GroupCompletions(folder).all == 1)
  }

  @Test func `a hook gets a fixed environment, no descriptor, and the log of its runner as its output`() async throws {
    try folder.writeHook("env; echo complaint >&2; readlink /proc/self/fd/0; exec ls -l /proc/self/fd")
    try fill()
    // The descriptor 9 is open in the runner, and has no flag.
    let runner = try runner(
      environment: ["CREDENTIALS_DIRECTORY": "/s3cr3t", "LUPINE_TEST_SECRET": "s3cr3t", "LANG": "C.UTF-8"],
      under: ["/bin/sh", "-c", "exec \"$0\" \"$@\" 9</dev/zero"])
    try await GroupCompletions.wait(for: 1, in: folder)
    let lines = try runner.end().hookLines
    #expect(!lines.contains { $0.contains("s3cr3t") || $0.contains("CREDENTIALS_DIRECTORY") }, "\(lines)")
    for line in ["LANG=C.UTF-8", "LUPINE_GROUP=g", "LUPINE_COMPLETION=1", "complaint", "/dev/null"] {
      #expect(lines.contains(line), "\(lines)")
    }
    // 0, 1, 2, and the folder that `ls` reads.
    let descriptors = lines.filter { $0.contains(" -> ") }
    #expect(descriptors.count == 4, "\(descriptors)")
    #expect(!descriptors.contains { $0.contains("/dev/zero") })
  }

  @Test(arguments: [true, false]) func `a runner that waits takes over when the program ends or is killed`(
    isKilled: Bool
  ) async throws {
    try folder.writeHook("echo \"$1\"")
    let program = try ProbeRun(folder, ["hold"])
    #expect(program.nextOutput() == "runner\n")
    let runner = try runner()
    let status = try #require(try await TransferRunner.status(at: folder.file("queue")))
    #expect(status.process == runner.number)
    #expect(status.text == "waits for process \(program.number), which runs the transfers")
    if isKilled { program.kill() }
    #expect(try program.end().wasKilled == isKilled)
    try fill()
    // Only a runner starts hooks.
    try await GroupCompletions.wait(for: 1, in: folder)
    #expect(try await TransferRunner.status(at: folder.file("queue"))?.text == "runs the transfers")
    #expect(try runner.end().hookLines == ["g"])
  }

  @Test func `a group that ends while no program runs starts a program, which prints what has arrived`() async throws {
    try folder.writeHook("exec '\(try Program.url("QueueProbe").path)' '\(folder.path)' hear \"$1\"")
    try fill()
    let runner = try runner()
    try await GroupCompletions.wait(for: 1, in: folder)
    let lines = try runner.end().hookLines
    #expect(lines.first == "group g")
    #expect(lines.filter { $0.hasSuffix("finished") }.count == 5, "\(lines)")
    #expect(lines.filter { $0.hasPrefix("acknowledged") }.count == 5)
  }

  @Test func `two programs beside one runner get every byte and every event`() throws {
    try folder.writeHook("echo \"$LUPINE_COMPLETION\"")
    let runner = try runner()
    try fill()
    let programs = try (0..<2).map { _ in try ProbeRun(folder, ["program", "5", "go"]) }
    var heard: Set<String> = []
    for program in programs {
      var facts = ProbeFacts()
      facts.read(try program.end().lines)
      #expect(facts.isDone)
      #expect(facts.faults == [])
      heard.formUnion(facts.finished)
    }
    #expect(heard.count == 5)
    #expect(try runner.end().lines == ["done"])
  }
}
