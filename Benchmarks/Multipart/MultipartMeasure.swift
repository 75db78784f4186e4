import FoundationEssentials
import Glibc
import Measuring

/// Measures multipart uploads and the encoders of parameters: `multipart-measure [ROUNDS]`; `encoders` in its place
/// measures the latter alone.
///
/// Ten sparse files of 200 MB go to a sink on loopback, by Lupine and by `curl -F` in turn, each in a process of its own
/// whose memory and processor time the kernel counts. Then the encoders alone, from memory.
@main
struct MultipartMeasure {
  static let fileCount = 10
  static let fileSize = 200_000_000

  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    switch arguments.popFirst() {
    case "serve": try BodyServer.run()
    case "upload": try await Upload.run(url: arguments.popFirst() ?? "", paths: Array(arguments))
    case "encoders": try ParameterMeasure.report()
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
    let server = try Child.server("serve")
    defer { server.end() }
    guard let port = server.line() else { throw MeasureError("the server does not start") }
    let url = "http://127.0.0.1:\(port)/"
    var ours: [Usage] = []
    var theirs: [Usage] = []
    for _ in 0..<rounds {
      ours.append(try Usage(of: Child(["upload", url] + paths)))
      let parts = paths.enumerated().flatMap { ["-F", "file\($0)=@\($1)"] }
      let command = ["-q", "-sS", "-o", "/dev/null", "-H", "Expect:"] + parts + [url]
      theirs.append(try Usage(of: Child(program: "/usr/bin/curl", command)))
    }
    print("\(fileCount) files of \(fileSize / 1_000_000) MB to loopback, \(rounds) rounds, medians:")
    print("  Lupine   \(Usage.median(ours))")
    print("  curl -F  \(Usage.median(theirs))")
    let ratios = zip(ours, theirs).map { $0.processor / $1.processor }.sorted()
    print("  processor time of Lupine: \(decimal(ratios[ratios.count / 2])) x curl's, the goal is 1.10 at most")
    print("encoders alone:")
    print("  multipart from memory: \(decimal(1_000 * (try EncoderMeasure.gigabytesPerSecond()))) MB/s")
    try ParameterMeasure.report()
  }
}

/// A number with two digits behind the point.
func decimal(_ number: Double) -> String {
  let hundredths = Int((number * 100).rounded())
  return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}
