import FoundationEssentials
import Glibc
import Measuring

/// Measures the memory of large transfers: `transfer-measure [GIBIBYTES]`.
///
/// A file of 2 GiB goes up, as a file and as a stream, and comes down, to a file and as a stream, each in a process of its
/// own over loopback. Each must stay within 30 MB over what its process held before, or the command fails.
@main
struct TransferMeasure {
  static let bound = 30.0

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve": try BodyServer.run()
    case "transfer": try await Transfer.run(Array(arguments.dropFirst()))
    default: try measure(gibibytes: arguments.first.flatMap { Int($0) } ?? 2)
    }
  }

  private static func measure(gibibytes: Int) throws {
    let size = gibibytes << 30
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-transfers-\(getpid())").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = folder + "/up.bin"
    guard FileManager.default.createFile(atPath: file, contents: nil), truncate(file, size) == 0 else {
      throw MeasureError("\(file) could not be made: errno \(errno)")
    }
    let server = try Child.server("serve")
    defer { server.end() }
    guard let port = server.line() else { throw MeasureError("the server does not start") }
    print("\(gibibytes) GiB over loopback, the most memory over idle, of \(Int(bound)) MB allowed:")
    var isOver = false
    for way in ["upload-file", "upload-stream", "download-file", "download-stream"] {
      let program = try Child(["transfer", way, "http://127.0.0.1:\(port)/", "\(size)", file, folder + "/down.bin"])
      guard let line = program.line(), let figures = Figures(line) else { throw MeasureError("\(way) failed") }
      program.end()
      print("  \(way): \(figures)")
      if figures.overIdle > bound { isOver = true }
      unlink(folder + "/down.bin")
    }
    if isOver { throw MeasureError("a transfer took more than \(Int(bound)) MB over idle") }
  }
}

/// What one transfer cost, as its process writes it on one line.
struct Figures: CustomStringConvertible {
  let idle: Double
  let peak: Double
  let seconds: Double
  let bytes: Double

  var overIdle: Double { peak - idle }

  init?(_ line: String) {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 4 else { return nil }
    (idle, peak, seconds, bytes) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }

  var description: String {
    func tenths(_ number: Double) -> String { "\(Int(number * 10) / 10).\(Int(number * 10) % 10)" }
    return "\(tenths(overIdle)) MB over \(tenths(idle)) MB, \(Int(bytes / seconds / 1_000_000)) MB/s"
  }
}
