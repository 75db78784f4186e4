import Foundation
import Lupine
import Testing
import TransportSupport

/// Runs the curl commands in a shell, and compares the requests that httpbin receives from curl and from Lupine.
@Suite(.overEachTransport, .besidePeers) struct CurlCommandTests {
  private static let text = "it's \"quoted\" $HOME `id` \\ !\nand\n\nmore\n"

  /// Runs a command from a script file, because an argument of a process is limited to 128 KiB.
  private static func run(_ command: String) throws -> JSONValue {
    let script = NSTemporaryDirectory() + "\(UUID().uuidString).sh"
    try Data((command + " --silent --show-error\n").utf8).write(to: URL(filePath: script))
    defer { try? FileManager.default.removeItem(atPath: script) }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [script]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try JSONDecoder().decode(JSONValue.self, from: data)
  }

  /// The request that httpbin received, without the fields that differ between clients.
  private static func echo(_ value: JSONValue) -> [String: JSONValue] {
    var parts = value.object ?? [:]
    let headers = parts["headers"]?.object ?? [:]
    parts["headers"] = .object(headers.filter { ["Content-Type", "X-Custom", "Content-Length"].contains($0.key) })
    return parts
  }

  private static func file() throws -> String {
    let path = NSTemporaryDirectory() + "it's a @file \(UUID().uuidString).txt"
    try Data("the file's\nown \"text\"\n".utf8).write(to: URL(filePath: path))
    return path
  }

  private func compare(_ request: some ValueRequest) async throws {
    let ours = try await request.serializingJSON().value
    let theirs = try Self.run(await request.cURLDescription())
    #expect(Self.echo(ours) == Self.echo(theirs))
  }

  @Test func `quotes, newlines and controls in the query, the fields and the body`() async throws {
    let name = try #require(HTTPField.Name("X-Custom"))
    let session = try Peer.httpbin.session()
    try await compare(
      session.request(
        "anything", method: .put, parameters: ["it's": .string(Self.text), "n": 1], encoder: .json,
        headers: [.init(name): "it's $HOME \"x\" \\ `id`"]))
    try await compare(session.request("anything", parameters: ["q": .string(Self.text), "a": ["'", "\""]]))
  }

  @Test(arguments: ["@/etc/passwd", "@", "-x", "", text, "\u{0}\u{1}\u{1B}[2J"])
  func `a body that begins with an at sign, or is empty, or is no plain text`(text: String) async throws {
    try await compare(try Peer.httpbin.session().upload(.text(text), to: "anything"))
  }

  @Test func `a file, and a part of one`() async throws {
    let path = try Self.file()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let session = try Peer.httpbin.session()
    try await compare(session.upload(.file(path), to: "anything", method: .put))
    try await compare(session.upload(.file(path, offset: 4, length: 6), to: "anything"))
  }

  @Test func `a form with files, parts of files and quotes`() async throws {
    let path = try Self.file()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let request = try Peer.httpbin.session().upload(
      multipart: { form in
        form.append("it's \"a\"\nrainbow", name: "it's a \"title\"")
        form.append(.file(path), name: "unicorn")
        form.append(.file(path, offset: 2, length: 3), name: "part", fileName: "p")
        form.append(Data([0, 1, 0x25, 0xFF]), name: "bytes")
        form.append(Data(repeating: 0xFF, count: 300_000), name: "picture", fileName: "p.png")
      }, to: "anything")
    try await compare(request)
  }
}
