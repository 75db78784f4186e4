import FoundationEssentials
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// Programs that lack descriptors or memory from their start, each in a process of its own.
///
/// libdispatch, which runs Swift's tasks, opens descriptors with the first task, and ends the process if it cannot open
/// them.
@Suite(.overEachTransport, .timeLimit(.minutes(5))) struct ShortageTests {
  /// Runs the probe with a limit of the shell.
  private func run(_ limit: String, _ steps: [String], url: String) throws -> [String] {
    let wrapper = ["timeout", "250", "sh", "-c", "ulimit \(limit); exec \"$@\"", "sh"]
    return try Program.run("ConnectionProbe", [url] + TestTransport.probeSteps + steps, under: wrapper)
  }

  @Test(arguments: 0..<16)
  func `a process with few free descriptors gets an error or a response, and a response once it has more`(
    free: Int
  ) throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let lines = try run("-n 200", ["leave \(free)", "get", "close", "get"], url: server.url)
    try #require(lines.count == 2, "\(lines)")
    #expect(["other", "connectionFailed", "new"].contains(lines[0]))
    #expect(free > 0 || lines[0] == "other")
    #expect(["new", "used again"].contains(lines[1]))
  }

  /// The process has a thread for each processor.
  ///
  /// Swift ends a program whose allocation fails. With a limit near what the program needs, that happens by chance:
  /// with 300 MB 1 of 30 runs over the native transport ended. `SystemFaultTests` has each thread that cannot be made.
  @Test func `a process with 900 MB of address space ends each of 200 requests`() throws {
    let kibibytes = 870_000 + 16_000 * ProcessInfo.processInfo.activeProcessorCount
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let url = "http://own.example:\(server.port)/"
    let lines = try run("-v \(kibibytes)", ["answer 127.0.0.1", "burst 200"], url: url)
    #expect(lines == ["200 ended"])
  }
}
