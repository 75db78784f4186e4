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
  /// - Parameter server: the URL of a folder of a server; `nil` for the mock.
  private func run(_ fault: String, kills: Int, seed: UInt64, server: String? = nil) throws {
    var generator = SplitMix(seed: Seeds.first &+ seed)
    var killed = 0
    var queues = 0
    while killed < kills || queues == 0 {
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
        let arguments = [
          place, "run", "\(Self.count)", facts.isAdded ? "go" : "add", "\(generator.next())", peer,
        ]
        facts.read(try Program.run("QueueProbe", arguments + (killed < kills ? [fault, "\(call)"] : [])))
        #expect(facts.faults == [], "\(fault) at \(call), kill \(killed) of queue \(queues)")
        guard facts.faults.isEmpty else { return }
        // Without a fault, the program ends at its end alone.
        try #require(facts.isDone || killed < kills)
        killed += 1
      }
    }
  }

  @Test(arguments: [("kill", 0), ("tear", 1)])
  func `a queue that is killed at seeded moments loses no byte, no event and no call, and tells nothing twice`(
    fault: String, seed: UInt64
  ) throws {
    try run(fault, kills: Self.isSoak ? 200 : 8, seed: seed)
  }

  @Test(.enabled(if: Peers.nginx != nil || Peers.areRequired))
  func `a queue with a real server that is killed at seeded moments loses nothing`() throws {
    let server = try #require(Peers.nginx)
    try run("kill", kills: Self.isSoak ? 100 : 4, seed: 2, server: "\(server)/uploads")
  }

  @Test func `an addition costs one flush, also one of several transfers`() throws {
    let lines = try Program.run("QueueProbe", [folder.path, "flushes"])
    #expect(lines == ["1", "1", "1", "1", "1", "1", "done"])
  }

  @Test(arguments: [(ENOSPC, "lasting", "change"), (EIO, "once", "change"), (EMFILE, "once", "open")])
  func `an error of any call loses no transfer that was added`(code: Int32, duration: String, calls: String) throws {
    let lines = try Program.run("QueueProbe", [folder.path, "error", "\(code)", duration, calls])
    #expect(lines.filter { $0.hasPrefix("wrong") } == [])
    #expect(lines.last == "done")
  }
}
