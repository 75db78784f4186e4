import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineSQLiteConnection
import Synchronization
import Testing

/// A runner and a program that are killed.
@Suite(.timeLimit(.minutes(10))) struct KilledRunnerTests {
  private static let isSoak = ProcessInfo.processInfo.environment["LUPINE_SOAK"] != nil
  private let folder: TemporaryFolder

  /// The folder is in memory, where flushing costs no time.
  init() throws {
    let memory = "/dev/shm"
    folder =
      FileManager.default.isWritableFile(atPath: memory) ? try TemporaryFolder(in: memory) : try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("files"), withIntermediateDirectories: false)
    let hook = "#!/bin/sh\necho \"$LUPINE_COMPLETION\" >> '\(folder.file("hooks"))'\n"
    _ = FileManager.default.createFile(atPath: folder.file("hook"), contents: Data(hook.utf8))
    chmod(folder.file("hook"), 0o700)
  }

  /// A runner as a process of its own.
  private final class Runner {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let reader: FileHandle

    /// Starts the process, and waits until it is ready or has been killed.
    init(_ folder: TemporaryFolder, _ fault: [String] = []) throws {
      process.executableURL = try Program.url("QueueProbe")
      process.arguments = [folder.path, "runner"] + fault
      process.standardInput = input
      process.standardOutput = output
      reader = output.fileHandleForReading
      try process.run()
      _ = reader.availableData
    }

    /// Ends the process; returns whether it was killed, and what it has printed.
    func end() throws -> (wasKilled: Bool, lines: [String]) {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
      let text = String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
      return (process.terminationReason == .uncaughtSignal, text.split(separator: "\n").map(String.init))
    }
  }

  /// The completions for which the hook has started.
  private func hookStarts() -> [Int64] {
    String(decoding: FileManager.default.contents(atPath: folder.file("hooks")) ?? Data(), as: UTF8.self)
      .split(separator: "\n").compactMap { Int64($0) }
  }

  /// The completions of the group, and the number of those whose hook has ended, as the database has them.
  private func completions() throws -> (all: Int64, ended: Int64) {
    let path = folder.file("queue/transfers.sqlite")
    guard FileManager.default.fileExists(atPath: path) else { return (0, 0) }
    let connection = try Connection(path, patience: .seconds(5))
    // A process that was killed early has made no tables.
    guard let hooks = try? Statement("SELECT completions, ended FROM hooks", on: connection) else { return (0, 0) }
    return try hooks.first([]) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  private func fault(_ generator: inout SplitMix, _ most: Int) -> [String] {
    ["kill", "\(Int.random(in: 1...most, using: &generator))"]
  }

  @Test func `a runner and a program that are killed at seeded moments lose no byte and no event`() throws {
    let kills = Self.isSoak ? 200 : 10
    var generator = SplitMix(seed: Seeds.first &+ 7)
    var facts = ProbeFacts()
    var (killed, round, batches) = (0, 0, 0)
    while killed < kills {
      round += 1
      let (before, starts) = (try completions(), hookStarts())
      let runner = try Runner(folder, fault(&generator, round.isMultiple(of: 4) ? 60 : 2_500))
      // In some rounds, a second program comes while the runner goes on.
      for _ in 0...Int.random(in: 0...1, using: &generator) where !facts.isDone {
        let most = round.isMultiple(of: 3) ? 60 : 1_500
        let lines = try Program.run(
          "QueueProbe",
          [folder.path, "program", "200", facts.added ? "go" : "add"] + fault(&generator, most))
        facts.read(lines)
        if !facts.isDone { killed += 1 }
      }
      if try runner.end().wasKilled { killed += 1 }
      #expect(facts.faults == [], "round \(round)")
      // A hook whose end was stored is not started again.
      let late = hookStarts().dropFirst(starts.count).filter { $0 <= before.ended }
      #expect(late == [], "round \(round)")
      guard facts.faults.isEmpty, late.isEmpty else { return }
      if facts.isDone { try begin(&facts, &batches) }
    }
    try finish(facts, batches)
  }

  /// Checks that the batch is complete, and begins another one in the same folder.
  private func begin(_ facts: inout ProbeFacts, _ batches: inout Int) throws {
    #expect(facts.finished.count == 200)
    batches += 1
    // Events keep their numbers: one that was acknowledged must not come in a later batch.
    facts = ProbeFacts(acknowledged: facts.acknowledged)
    try FileManager.default.removeItem(atPath: folder.file("files"))
    try FileManager.default.createDirectory(atPath: folder.file("files"), withIntermediateDirectories: false)
  }

  /// Ends the last batch without a kill, and checks that each hook has ended once.
  private func finish(_ facts: ProbeFacts, _ batches: Int) throws {
    var facts = facts
    let runner = try Runner(folder)
    facts.read(try Program.run("QueueProbe", [folder.path, "program", "200", facts.added ? "go" : "add"]))
    #expect(facts.faults == [])
    #expect(facts.isDone)
    #expect(facts.finished.count == 200)
    while try completions().ended < completions().all { sched_yield() }
    #expect(try runner.end().lines == ["done"])
    #expect(try completions().all == Int64(batches + 1))
  }

  @Test func `a group that ends while no program runs starts a program, which prints what has arrived`() throws {
    let hook = """
      #!/bin/sh
      exec '\(try Program.url("QueueProbe").path)' '\(folder.path)' hear "$1" >> '\(folder.file("heard"))'
      """
    try Data(hook.utf8).write(to: URL(filePath: folder.file("hook")))
    chmod(folder.file("hook"), 0o700)
    #expect(try Program.run("QueueProbe", [folder.path, "fill", "5"]) == ["done"])
    let runner = try Runner(folder)
    while try completions().ended < 1 { sched_yield() }
    #expect(try runner.end().lines == ["done"])
    let text = String(decoding: FileManager.default.contents(atPath: folder.file("heard")) ?? Data(), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first == "group g")
    #expect(lines.filter { $0.hasSuffix("finished") }.count == 5, "\(lines)")
    #expect(lines.filter { $0.hasPrefix("acknowledged") }.count == 5)
  }
}
