import Foundation
import LupineFixtures
import Testing

/// h11, which `Tests/Support/Peers/read-responses` calls.
enum PythonReader {
  struct Case: Encodable {
    var method: String
    var bytes: Data
  }

  struct Answer: Decodable {
    var status: Int?
    var interim: Int?
    var fields: [[String]]?
    var trailers: [[String]]?
    var content: Data?
    var rest: Data?
    var keeps: Bool?
    var error: String?
  }

  /// Whether to run the tests; if the peers are required, a test without h11 fails and is not skipped.
  static var isWanted: Bool { Peers.python != nil || Peers.areRequired }

  static let reason: Comment =
    "LUPINE_PYTHON names no Python with h11; run the tests through Tests/Support/Peers/with-peers"

  /// The result of h11 for each case.
  static func read(_ cases: [Case]) throws -> [Answer] {
    let python = try #require(Peers.python, "LUPINE_PYTHON is not set")
    let folder = try TemporaryFolder()
    let encoder = JSONEncoder()
    let lines = try cases.map { try encoder.encode($0) + Data("\n".utf8) }.reduce(into: Data()) { $0 += $1 }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [Fixture.path("../Tests/Support/Peers/read-responses")]
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.write(lines, to: "cases")))
    let output = try folder.write("", to: "output")
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(python) ended with code \(process.terminationStatus)")
    let answers = try Data(contentsOf: URL(filePath: output)).split(separator: 0x0A)
    return try answers.map { try JSONDecoder().decode(Answer.self, from: Data($0)) }
  }
}
