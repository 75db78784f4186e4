import Foundation
import Glibc
import LupineFixtures
import Testing

/// Queues of a program that is killed, and whose disk fails.
@Suite(.timeLimit(.minutes(10))) struct KilledQueueTests {
  private static let isSoak = ProcessInfo.processInfo.environment["LUPINE_SOAK"] != nil
  private let folder: TemporaryFolder

  /// The folder is in memory, where flushing costs no time.
  init() throws {
    let memory = "/dev/shm"
    folder =
      FileManager.default.isWritableFile(atPath: memory) ? try TemporaryFolder(in: memory) : try TemporaryFolder()
  }

  private static let count = 200

  /// Kills a program at seeded moments; a queue that ends is followed by a new one.
  ///
  /// - Parameters:
  ///   - kills: the number of processes that SIGKILL must end. One that comes to its end before that does not count.
  ///   - server: the URL of a folder of a server; `nil` for the mock.
  private func run(_ fault: String, kills: Int, seed: UInt64, server: String? = nil) async throws {
    var generator = SplitMix(seed: Seeds.first &+ seed)
    var killed = 0
    var queues = 0
    while killed < kills {
      queues += 1
      let place = folder.file("\(queues)")
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(atPath: place) }
      let peer = server.map { "\($0)/\(UUID())" } ?? "mock"
      var facts = KilledQueueFacts(count: Self.count)
      while !facts.isDone {
        // At first within the opening, and later anywhere.
        let most = killed.isMultiple(of: 4) ? 60 : 1_500
        let call = Int.random(in: 1...most, using: &generator)
        let mayBeKilled = killed < kills
        let arguments = [
          place, "run", "\(Self.count)", facts.isAdded ? "go" : "add", "\(generator.next())", peer,
        ]
        let end = try await Program.end(of: "QueueProbe", arguments + (mayBeKilled ? [fault, "\(call)"] : []))
        facts.read(end.lines)
        #expect(facts.faults == [], "\(fault) at \(call), kill \(killed) of queue \(queues)")
        guard facts.faults.isEmpty else { return }
        // Only SIGKILL ends the program before its end.
        try #require(end.signal == nil ? facts.isDone : end.signal == SIGKILL && mayBeKilled)
        if end.signal == SIGKILL { killed += 1 }
      }
    }
    #expect(killed == kills)
  }

  /// The kills of one run of all tests are 20 together, and 500 in a soak.
  @Test(arguments: [("kill", 0), ("tear", 1)])
  func `a queue that is killed at seeded moments loses no byte, no event and no call, and tells nothing twice`(
    fault: String, seed: UInt64
  ) async throws {
    try await run(fault, kills: Self.isSoak ? 200 : 8, seed: seed)
  }

  @Test(.enabled(if: Peers.nginx != nil || Peers.areRequired))
  func `a queue with a real server that is killed at seeded moments loses nothing`() async throws {
    let server = try #require(Peers.nginx)
    try await run("kill", kills: Self.isSoak ? 100 : 4, seed: 2, server: "\(server)/uploads")
  }

  @Test func `an addition costs one flush, also one of several transfers`() throws {
    let lines = try Program.run("QueueProbe", [folder.path, "flushes"])
    #expect(lines == ["1", "1", "1", "1", "1", "1", "done"])
  }

  /// Fails each call in turn; returns the functions of the calls that have failed.
  ///
  /// - Parameter leastFailures: about 70 percent of the number of calls that failed when it was measured.
  private func failures(
    of calls: String, _ code: Int32, _ duration: String, leastFailures: Int
  ) async throws -> Set<String> {
    let lines = try await Program.end(of: "QueueProbe", [folder.path, "error", "\(code)", duration, calls]).lines
    #expect(lines.filter { $0.hasPrefix("wrong") } == [])
    #expect(lines.last == "done")
    let failures = lines.filter { $0.hasPrefix("failed ") }.map { $0.split(separator: " ") }
    #expect(failures.compactMap { Int($0[2]) }.reduce(0, +) >= leastFailures, "\(lines)")
    return Set(failures.map { String($0[1]) })
  }

  @Test func `an error of any call that changes a file loses no transfer that was added`() async throws {
    let lasting = try await failures(of: "change", ENOSPC, "lasting", leastFailures: 220)
    let once = try await failures(of: "change", EIO, "once", leastFailures: 270)
    // Together, because the order of the calls differs from run to run, and so does the call that has a number.
    let functions = lasting.union(once)
    let expected = ["fdatasync", "fsync", "mkdir", "open", "pwrite64", "rename", "renameat2", "unlink", "write"]
    #expect(functions.isSuperset(of: expected), "\(functions)")
  }

  @Test func `an error of any call that opens a file loses no transfer that was added`() async throws {
    #expect(try await failures(of: "open", EMFILE, "once", leastFailures: 45) == ["open"])
  }
}
