import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineRecording
import LupineSession
import LupineTesting
import Testing

/// Recordings in a process of their own, whose disk fails or which is killed.
@Suite(.timeLimit(.minutes(2))) struct RecordingProbeTests {
  @Test(arguments: ["kill", "tear"])
  func `a killed recording loses the exchange under way and nothing else`(fault: String) throws {
    let folder = try TemporaryFolder()
    for call in 1...200 {
      try? FileManager.default.removeItem(atPath: folder.path)
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      let lines = try Program.run("RecordingProbe", [folder.path, fault, "\(call)"])
      let ended = lines.last { $0 != "done" }.flatMap { Int($0) } ?? 0
      let entries = (try? CassetteFile.read(folder.file("users.cassette")))?.cassette.entries ?? []
      #expect((ended...ended + 1).contains(entries.count), "call \(call): \(entries.count) of \(ended)")
      #expect(entries.map(\.request.url) == (0..<entries.count).map { "https://example.com/\($0 + 1)" })
      if lines.last == "done" { return #expect(call > 10) }
    }
    Issue.record("The recording never ends.")
  }

  @Test func `a killed recording leaves no byte of a body that was not searched`() throws {
    let folder = try TemporaryFolder()
    for call in 1...200 {
      try? FileManager.default.removeItem(atPath: folder.path)
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      let lines = try Program.run("RecordingProbe", [folder.path, "secret", "\(call)"])
      for name in folder.names {
        #expect(try Data(contentsOf: URL(filePath: folder.file(name))).range(of: Data("ghp_".utf8)) == nil)
      }
      if lines.last == "done" {
        #expect(lines.allSatisfy { !$0.hasPrefix("wrong") })
        return #expect(call > 5)
      }
    }
    Issue.record("The recording never ends.")
  }

  @Test func `a file system without unnamed files is enough`() throws {
    let folder = try TemporaryFolder()
    let lines = try Program.run("RecordingProbe", [folder.path, "named"])
    #expect(lines.last == "done")
    #expect(try CassetteFile.read(folder.file("users.cassette")).cassette.entries.count == 5)
    #expect(folder.names.count == 2)
  }

  @Test func `a full disk fails the recording, and neither an exchange nor an old cassette`() throws {
    let folder = try TemporaryFolder()
    #expect(try Program.run("RecordingProbe", [folder.path, "full"]) == ["done"])
  }

  @Test func `of two processes the second fails with a sentence`() async throws {
    let folder = try TemporaryFolder()
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = try Program.url("RecordingProbe")
    process.arguments = [folder.path, "hold"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "held\n")
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("here"))
    let recorder = RecordingTransport(around: mock, to: folder.file("users.cassette"))
    let session = try Session.Builder().transport(recorder).clock(ImmediateClock()).build()
    #expect(try await session.request("https://example.com/2").serializingString().value == "here")
    let error = await #expect(throws: LupineError.self) { try await recorder.recording.finish() }
    #expect(error?.message.contains("Another test or process is recording") == true)
    // A reader does not take in what a recording under way has.
    #expect(throws: LupineError.self) { try CassetteFile.read(folder.file("users.cassette")) }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try CassetteFile.read(folder.file("users.cassette")).cassette.entries.count == 1)
  }

  /// The size of a large body in bytes: more than a copy of it in memory may have, and 1 GiB in `make soak`.
  private static func large(_ megabytes: Int) -> Int {
    ProcessInfo.processInfo.environment["LUPINE_SOAK"] == "1" ? 1 << 30 : megabytes << 20
  }

  // The program itself needs 37 MB. Of a text, 16 MiB are kept to be redacted.
  @Test(arguments: [(0x80, 16, 40), (0x61, 20, 40 + 18)] as [(UInt8, Int, Int)])
  func `a large body is recorded from a server and replayed in 40 MB, and a text in 18 MB more`(
    byte: UInt8, megabytes: Int, bound: Int
  ) throws {
    let folder = try TemporaryFolder()
    let piece = (0..<65_536).map { byte | UInt8(truncatingIfNeeded: $0 &* 7) & 0x1E }
    let length = Self.large(megabytes)
    let server = try ScriptedServer(always: [
      .head(status: 200, fields: ["Content-Length": "\(length)"]), .repeat(piece, count: length / piece.count),
    ])
    let lines = try Program.run("RecordingProbe", [folder.path, "large", "\(length)", server.url + "/"])
    #expect(lines.last == "done")
    #expect(Int(lines.first ?? "") ?? .max <= bound * 1_000_000, "\(lines)")
  }
}
