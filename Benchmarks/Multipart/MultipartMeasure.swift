import FoundationEssentials
import Glibc

/// Measures multipart uploads: `multipart-measure [ROUNDS]`.
///
/// Ten sparse files of 200 MB go to a sink on loopback, by Lupine and by `curl -F` in turn, each in a process of its own
/// whose memory and processor time the kernel counts. Then the encoder alone, from memory.
@main
struct MultipartMeasure {
  static let fileCount = 10
  static let fileSize = 200_000_000

  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    switch arguments.popFirst() {
    case "sink": try Sink.run()
    case "upload": try await Upload.run(url: arguments.popFirst() ?? "", paths: Array(arguments))
    case let rounds: try measure(rounds: rounds.flatMap { Int($0) } ?? 9)
    }
  }

  private static func measure(rounds: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-measure-\(getpid())").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let paths = try (0..<fileCount).map { number in
      let path = "\(folder)/\(number).bin"
      guard FileManager.default.createFile(atPath: path, contents: nil), truncate(path, fileSize) == 0 else {
        throw MeasureError("\(path) could not be made: errno \(errno)")
      }
      return path
    }
    let sink = try Child(["sink"])
    defer { sink.end() }
    let url = "http://127.0.0.1:\(try sink.line())/"
    var ours: [Usage] = []
    var theirs: [Usage] = []
    for _ in 0..<rounds {
      ours.append(try Child(["upload", url] + paths).wait())
      let parts = paths.enumerated().flatMap { ["-F", "file\($0)=@\($1)"] }
      theirs.append(
        try Child(program: "/usr/bin/curl", ["-q", "-sS", "-o", "/dev/null", "-H", "Expect:"] + parts + [url]).wait())
    }
    print("\(fileCount) files of \(fileSize / 1_000_000) MB to loopback, \(rounds) rounds, medians:")
    print("  Lupine   \(Usage.median(ours))")
    print("  curl -F  \(Usage.median(theirs))")
    let ratios = zip(ours, theirs).map { $0.processor / $1.processor }.sorted()
    print("  processor time of Lupine: \(decimal(ratios[ratios.count / 2])) x curl's, the goal is 1.10 at most")
    print("the encoder alone, from memory: \(decimal(try EncoderMeasure.gigabytesPerSecond())) GB/s")
  }
}

/// Why nothing could be measured.
struct MeasureError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A number with two digits behind the point.
func decimal(_ number: Double) -> String {
  let hundredths = Int((number * 100).rounded())
  return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}
