import Foundation
import LupineFixtures
import Testing

/// A runner and a program that are killed.
@Suite(.timeLimit(.minutes(10))) struct KilledRunnerTests {
  private static let isSoak = ProcessInfo.processInfo.environment["LUPINE_SOAK"] != nil
  private let folder: TemporaryFolder

  init() throws {
    folder = try .inMemory()
    try FileManager.default.createDirectory(atPath: folder.file("files"), withIntermediateDirectories: false)
    try folder.writeHook("echo \"$LUPINE_COMPLETION\"")
  }

  /// The number of processes that SIGKILL has ended, and of the hooks that all runners have started.
  private struct Counts {
    var runners = 0
    var programs = 0
    var hooks = 0
  }

  private func fault(_ generator: inout SplitMix, _ most: Int) -> [String] {
    ["kill", "\(Int.random(in: 1...most, using: &generator))"]
  }

  /// Runs a program beside the runner; returns whether it was killed.
  private func runProgram(_ facts: inout ProbeFacts, _ fault: [String] = []) throws -> Bool {
    let end = try ProbeRun(folder, ["program", "200", facts.added ? "go" : "add"] + fault).end()
    facts.read(end.lines)
    // No other signal and no error ends it before it is done.
    #expect(end.wasKilled != facts.isDone)
    return end.wasKilled
  }

  /// Ends a runner, and checks the hooks that it has started; returns their completions.
  ///
  /// - Parameter before: the completions before the runner began.
  private func end(_ runner: ProbeRun, _ before: GroupCompletions, _ counts: inout Counts) throws -> [Int64] {
    let end = try runner.end()
    #expect(end.wasKilled != (end.lines.last == "done"))
    let starts = end.hookLines.compactMap { Int64($0) }
    #expect(starts.count == end.hookLines.count, "\(end.hookLines)")
    #expect(Set(starts).count == starts.count, "a runner has started a hook twice: \(starts)")
    #expect(starts.allSatisfy { $0 > before.ended }, "a hook that had ended has started again: \(starts), \(before)")
    counts.hooks += starts.count
    if end.wasKilled { counts.runners += 1 }
    return starts
  }

  @Test func `a runner and a program that are killed at seeded moments lose no byte and no event`() async throws {
    let most = Self.isSoak ? 200 : 10
    var generator = SplitMix(seed: Seeds.first &+ 7)
    var (facts, counts) = (ProbeFacts(), Counts())
    var (round, batches) = (0, 1)
    while counts.runners < most / 2 || counts.programs < most / 2 {
      round += 1
      let before = try GroupCompletions(folder)
      let runner = try ProbeRun(folder, ["runner"] + fault(&generator, round.isMultiple(of: 4) ? 60 : 2_500))
      runner.nextOutput()
      // In some rounds, a second program comes while the runner goes on.
      for _ in 0...Int.random(in: 0...1, using: &generator) where !facts.isDone {
        if try runProgram(&facts, fault(&generator, round.isMultiple(of: 3) ? 60 : 1_500)) { counts.programs += 1 }
      }
      _ = try end(runner, before, &counts)
      try #require(facts.faults == [], "round \(round)")
      if facts.isDone { try begin(&facts, &batches) }
    }
    try await finish(&facts, &counts, &batches)
    print("killed: \(counts.runners) runners, \(counts.programs) programs; \(counts.hooks) hooks, \(batches) batches")
  }

  /// Checks that a batch is complete, and begins another one in the same folder.
  private func begin(_ facts: inout ProbeFacts, _ batches: inout Int) throws {
    #expect(facts.finished.count == 200)
    batches += 1
    // Events keep their numbers: one that was acknowledged must not come in a later batch.
    facts = ProbeFacts(acknowledged: facts.acknowledged)
    try FileManager.default.removeItem(atPath: folder.file("files"))
    try FileManager.default.createDirectory(atPath: folder.file("files"), withIntermediateDirectories: false)
  }

  /// Ends the last batch, and runs another one, without a kill; the hook of that one starts once.
  private func finish(_ facts: inout ProbeFacts, _ counts: inout Counts, _ batches: inout Int) async throws {
    let before = try GroupCompletions(folder)
    let runner = try ProbeRun(folder, ["runner"])
    runner.nextOutput()
    #expect(try !runProgram(&facts))
    // A hook that runs would hold back the next one, until a program has acknowledged its events.
    try await GroupCompletions.wait(for: Int64(batches), in: folder)
    try begin(&facts, &batches)
    #expect(try !runProgram(&facts))
    #expect(facts.faults == [])
    #expect(facts.finished.count == 200)
    let last = Int64(batches)
    try await GroupCompletions.wait(for: last, in: folder)
    #expect(try end(runner, before, &counts).last == last)
    #expect(try GroupCompletions(folder).all == last)
    // Nothing is left to start.
    let after = try ProbeRun(folder, ["runner"])
    after.nextOutput()
    #expect(try after.end().hookLines == [])
  }
}
