import Foundation
import LupineFixtures
import LupineMultipart
import Testing

/// The parsers from PyPI, which `Tests/Support/Peers/parse-multipart` calls.
enum PythonParsers {
  struct Part: Decodable, Hashable {
    var name: String?
    var fileName: String?
    var type: String?
    var data: Data?
    var parts: [Part]?
  }

  struct Answer: Decodable {
    var parts: [Part]?
    var error: String?
  }

  struct Case: Encodable {
    var contentType: String
    var body: Data
    var parsers: [String]
  }

  static let forForms = ["python-multipart", "werkzeug", "django"]

  /// Whether to run the tests; if the peers are required, a test without them fails and is not skipped.
  static var areWanted: Bool { Peers.python != nil || Peers.areRequired }

  static let reason: Comment =
    "LUPINE_PYTHON names no Python with the parsers; run the tests through Tests/Support/Peers/with-peers"

  /// The result of each parser for each body.
  static func parse(_ cases: [Case]) throws -> [[String: Answer]] {
    let python = try #require(Peers.python, "LUPINE_PYTHON is not set")
    let folder = try TemporaryFolder()
    let encoder = JSONEncoder()
    let lines = try cases.map { try encoder.encode($0) + Data("\n".utf8) }.reduce(Data(), +)
    let script = Fixture.path("../Tests/Support/Peers/parse-multipart")
    let output = try run(python, [script], input: folder.write(lines, to: "cases"), folder: folder)
    return try output.split(separator: 0x0A).map { try JSONDecoder().decode([String: Answer].self, from: Data($0)) }
  }

  static func parse(_ multipart: some MultipartConvertible, _ parsers: [String]) throws -> [String: Answer] {
    let body = Data(try bytes(of: multipart.asBody()))
    let answers = try parse([Case(contentType: multipart.multipart.contentType, body: body, parsers: parsers)])
    return try #require(answers.first)
  }
}

/// Runs a program to its end, and returns its output.
func run(_ program: String, _ arguments: [String], input: String = "/dev/null", folder: TemporaryFolder) throws -> Data
{
  let path = try folder.write("", to: "output-\(UUID().uuidString)")
  let process = Process()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  process.standardInput = try FileHandle(forReadingFrom: URL(filePath: input))
  process.standardOutput = try FileHandle(forWritingTo: URL(filePath: path))
  try process.run()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "\(program) ended with code \(process.terminationStatus)")
  return try Data(contentsOf: URL(filePath: path))
}
