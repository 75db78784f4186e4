import Foundation
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

/// Runs the curl commands in a shell, against a server on the loopback interface.
@Suite(
  .overEachTransport,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "needs the curl program"))
struct CurlCommandTests {
  static let bodies: [Data] = [
    Data("plain".utf8), Data("it's \"quoted\" $HOME `id` \\ !\nand\n\nmore\n".utf8), Data("@/etc/passwd".utf8),
    Data(Array(0...255)), Data("%s%d%%\\n\\0".utf8), Data("grüße 👋".utf8), Data("\u{1B}[2J\u{7F}".utf8), Data(),
    Data(repeating: 0x61, count: 30_000), Data(repeating: 0x61, count: 200_000),
    Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }),
  ]

  /// Runs a command from a script file, because an argument of a process is limited to 128 KiB.
  private static func run(_ command: String) async throws -> Int32 {
    let script = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sh")
    try Data((command + " --silent --output /dev/null\n").utf8).write(to: script)
    defer { try? FileManager.default.removeItem(at: script) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [script.path]
    process.standardInput = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }

  @Test(arguments: bodies.indices)
  func `a command sends what the request sends`(index: Int) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let request = try OutgoingRequest(
      server.url + "/a'b/$(id)?q=it's&x=%27", method: .post,
      headers: [.custom: "it's $HOME \"x\" \\ `id`", .accept: "*/*", .userAgent: ""], body: .bytes(Self.bodies[index]))
    let session = try networkSession()
    _ = try await session.request(request).serializingData().value
    let command = session.request(request).debugDescription
    #expect(try await Self.run(command) == 0)
    let requests = server.requests
    #expect(requests.count == 2)
    #expect(requests.first?.body == requests.last?.body)
    #expect(requests.first?.target == requests.last?.target)
    #expect(requests.first?.method == requests.last?.method)
    for name in ["X-Custom", "Accept", "User-Agent", "Content-Type"] {
      #expect(requests.first?.fields[name] == requests.last?.fields[name], "\(name)")
    }
  }

  @Test(arguments: [HTTPRequest.Method.get, .head, .delete, .options])
  func `a command has the method of the request`(method: HTTPRequest.Method) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let command = try networkSession().request(server.url, method: method).debugDescription
    #expect(try await Self.run(command) == 0)
    #expect(server.requests.map(\.method) == [method])
  }

  @Test func `a HEAD with a body is made, too`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let request = try OutgoingRequest(server.url, method: .head, body: .text("content"))
    #expect(try await Self.run(try networkSession().request(request).debugDescription) == 0)
    #expect(server.requests.map(\.method) == [.head])
    #expect(server.requests.map(\.bodyText) == ["content"])
  }

  @Test func `a body that no command holds makes the command fail, with no request`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let request = try OutgoingRequest(server.url, method: .post, body: .bytes(Data(count: (1 << 20) + 1)))
    #expect(try await Self.run(try networkSession().request(request).debugDescription) == 1)
    #expect(server.requests.isEmpty)
  }

  @Test func `a part of a file is sent from its offset`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("it's \(UUID().uuidString)").path
    try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let session = try networkSession()
    for body in [RequestBody.file(path), .file(path, offset: 3, length: 4)] {
      let request = try OutgoingRequest(server.url, method: .put, body: body)
      #expect(try await Self.run(session.request(request).debugDescription) == 0)
    }
    #expect(server.requests.map(\.bodyText) == ["0123456789", "3456"])
  }
}
