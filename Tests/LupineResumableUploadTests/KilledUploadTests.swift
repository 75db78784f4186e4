import Foundation
import Glibc
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// Uploads of a program that is killed, and the memory that it needs.
@Suite(.overEachTransport, .timeLimit(.minutes(5))) struct KilledUploadTests {
  private static let length = 4 << 20
  private static let content = Data.pattern(length)

  /// Starts the program; the pipe has its lines.
  private static func start(_ arguments: [String]) throws -> (process: Process, output: Pipe) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = try Program.url("UploadProbe")
    process.arguments = arguments
    // Each arena of malloc keeps free memory, and their number depends on which threads meet on a busy machine.
    var variables = ["MALLOC_ARENA_MAX": "1"]
    if TestTransport.isNative { variables["LUPINE_TRANSPORT"] = "native" }
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }

  private static func finish(_ arguments: [String]) throws -> [String] {
    let (process, output) = try start(arguments)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: ["careful", "optimistic"])
  func `a program killed at ten random points, and once when all is there, sends no acknowledged byte twice`(
    mode: String
  ) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.content, to: "content")
    let server = try HoldingServer(length: Self.length)
    let arguments = [server.url, file, mode, folder.file("upload")]
    var generator = SplitMix(seed: Seeds.first)
    // Farther apart than the server reads at once.
    let points = (0..<10).map { $0 * Self.length / 10 + Int.random(in: 1..<Self.length / 20, using: &generator) }
    for point in points + [Self.length] {
      let hold = HoldingServer.Hold(at: point)
      server.hold(hold)
      let (process, _) = try Self.start(arguments)
      try await hold.reached.opened()
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      hold.released.open()
    }
    #expect(try Self.finish(arguments).first == "done")
    #expect(server.received == Self.content, "killed at \(points)")
    #expect(server.faults == [], "killed at \(points)")
    // An optimistic upload begins again if its program was killed before it had received the location.
    if mode == "careful" { #expect(server.creations == 1) }
    #expect(folder.names == ["content"])
    server.stop()
  }

  /// Uploads a file without content that is cut, and returns the peak of the program's memory in KiB.
  private static func peak(_ length: Int, _ mode: String, cuts: [Int]) throws -> Int {
    let folder = try TemporaryFolder()
    let file = try folder.write(Data(), to: "content")
    #expect(truncate(file, length) == 0)
    let server = try HoldingServer(length: length, cuts: cuts, keepsData: false)
    let lines = try finish([server.url, file, mode, folder.file("upload")])
    server.stop()
    #expect(lines.first == "done")
    #expect(server.count == length)
    #expect(server.faults == [])
    return try #require(lines.last.flatMap { Int($0) })
  }

  @Test(arguments: ["optimistic", "careful"])
  func `an upload of a gibibyte that is cut three times needs no more memory than a small one`(mode: String) throws {
    // The same steps, because the code of each is memory too.
    let small = try Self.peak(8 << 20, mode, cuts: [1 << 20, 4 << 20, 7 << 20])
    let large = try Self.peak(1 << 30, mode, cuts: [100 << 20, 500 << 20, 900 << 20])
    #expect(large < small + 10_000)
  }
}
