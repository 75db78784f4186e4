import Foundation
import LupineFixtures
import Testing

/// Runs `StoreProbe`, a program whose disk fails.
@Suite struct FaultyDiskTests {
  private let folder: TemporaryFolder

  /// The folder is in memory, where flushing costs no time.
  init() throws {
    let memory = "/dev/shm"
    folder =
      FileManager.default.isWritableFile(atPath: memory) ? try TemporaryFolder(in: memory) : try TemporaryFolder()
  }

  @Test(.timeLimit(.minutes(3)), arguments: ["kill", "tear"])
  func `a process that is killed at any change of a file leaves no wrong response and no file too many`(
    fault: String
  ) throws {
    var facts: [String] = []
    var call = 1
    while facts.last != "done" {
      facts = try Program.run("StoreProbe", [folder.file("store"), fault, "\(call)"] + facts)
      #expect(facts.filter { $0.hasPrefix("wrong") } == [], "\(fault) at \(call - 1)")
      call += 1
    }
    #expect(call > 150)
  }

  @Test(
    .timeLimit(.minutes(2)),
    arguments: [(ENOSPC, "lasting", "change"), (EIO, "once", "change"), (EMFILE, "once", "open")])
  func `an error of any call leads to no wrong response and no file too many`(
    code: Int32, duration: String, calls: String
  ) throws {
    let lines = try Program.run("StoreProbe", [folder.file("store"), "error", "\(code)", duration, calls])
    #expect(lines.filter { $0.hasPrefix("wrong") } == [])
    #expect(lines.last?.hasPrefix("done") == true)
  }

  @Test(.timeLimit(.minutes(1))) func `three processes share a folder without wrong responses and errors`() throws {
    let programs = try (1...3).map { seed in
      let (process, output) = (Process(), Pipe())
      process.executableURL = try Program.url("StoreProbe")
      process.arguments = [folder.file("store"), "share", "\(seed)"]
      process.standardOutput = output
      try process.run()
      return (process, output)
    }
    for (process, output) in programs {
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(String(decoding: data, as: UTF8.self) == "added many, read many\n")
    }
    #expect(try Program.run("StoreProbe", [folder.file("store"), "share", "4"]) == ["added many, read many"])
  }
}
