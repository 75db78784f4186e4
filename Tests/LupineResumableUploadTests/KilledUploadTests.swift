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
  private static func start(_ arguments: [String], isHTTP2: Bool = false) throws -> (process: Process, output: Pipe) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = try Program.url("UploadProbe")
    process.arguments = arguments
    // Each arena of malloc keeps free memory, and their number depends on which threads meet on a busy machine.
    var variables = ["MALLOC_ARENA_MAX": "1"]
    if TestTransport.isNative { variables["LUPINE_TRANSPORT"] = "native" }
    if isHTTP2 { variables["LUPINE_HTTP"] = "2" }
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }

  private static func finish(_ arguments: [String], isHTTP2: Bool = false) throws -> [String] {
    let (process, output) = try start(arguments, isHTTP2: isHTTP2)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: ["careful", "optimistic"], [false, true])
  func `a program killed at ten random points, and once when all is there, sends no acknowledged byte twice`(
    mode: String, isHTTP2: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.content, to: "content")
    let server: any HoldingPeer =
      isHTTP2
      ? try CuttingFrameServer(cuts: [], length: Self.length, endsConnections: true)
      : try HoldingServer(length: Self.length)
    let arguments = [server.url, file, mode, folder.file("upload")]
    var generator = SplitMix(seed: Seeds.first)
    // Farther apart than the server reads at once.
    let points = (0..<10).map { $0 * Self.length / 10 + Int.random(in: 1..<Self.length / 20, using: &generator) }
    for point in points + [Self.length] {
      let hold = UploadHold(at: point)
      server.hold(hold)
      let (process, output) = try Self.start(arguments, isHTTP2: isHTTP2)
      // From then on the program can always continue: it has the location.
      if point == points[0] {
        #expect(output.fileHandleForReading.availableData == Data("stored\n".utf8))
        server.located.open()
      }
      try await hold.reached.opened()
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal)
      hold.released.open()
    }
    #expect(try Self.finish(arguments, isHTTP2: isHTTP2).contains("done"))
    #expect(server.received == Self.content, "killed at \(points)")
    #expect(server.faults == [], "killed at \(points)")
    #expect(folder.names == ["content"])
    server.stop()
  }

  /// Uploads a file without content that is cut, and returns the peak of the program's memory in KiB.
  private static func peak(_ length: Int, _ mode: String, cuts: [Int]) throws -> Int {
    let folder = try TemporaryFolder()
    let file = try folder.write(Data(), to: "content")
    #expect(truncate(file, length) == 0)
    let server = try HoldingServer(length: length, cuts: cuts, keepsData: false)
    server.located.open()
    let lines = try finish([server.url, file, mode, folder.file("upload")])
    server.stop()
    #expect(lines.contains("done"))
    #expect(server.offset == length)
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
