import Foundation
import Glibc
import Lupine
import LupineFixtures
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// Uploads over libcurl: to a server whose pace the test sets, and to nginx and httpbin.
@Suite(.overEachTransport) struct UploadTests {
  struct Echo: Decodable, Sendable {
    let data: String
    let headers: [String: String]
  }

  static let size = 32 << 20
  let folder: TemporaryFolder
  var path: String { folder.file("up") }

  init() throws {
    folder = try TemporaryFolder()
    try Data(repeating: 7, count: 1).write(to: URL(filePath: folder.file("up")))
    guard truncate(folder.file("up"), Self.size) == 0 else { throw CancellationError() }
  }

  /// Uploads the file, and calls `meanwhile` after the server has received the head and before it reads the body.
  private func upload(meanwhile: () throws -> Void) async throws -> (LupineError?, received: Int) {
    let gate = Gate()
    let server = try ScriptedServer(readsBody: false) { _ in
      [.wait(gate), .readBody, .head(status: 200, fields: ["Content-Length": "2"]), .body(Array("ok".utf8))]
    }
    defer { server.stop() }
    let session = try Session.Builder().transport(.curl).build()
    async let response = session.upload(.file(path), to: server.url, method: .put).serializingData().response
    try await server.waitForRequest()
    try meanwhile()
    gate.open()
    let error = await response.error
    return (error, server.requests.first?.body.count ?? 0)
  }

  @Test func `a file that shrinks while it goes out is an error, and the server never has a whole body`() async throws {
    let (error, received) = try await upload { truncate(path, 100) }
    #expect(error?.kind == .bodyFailed)
    #expect(error?.message.contains("up") == true)
    #expect(received < Self.size)
  }

  @Test func `a file that is removed while it goes out arrives whole`() async throws {
    let (error, received) = try await upload { try FileManager.default.removeItem(atPath: path) }
    #expect(error == nil)
    #expect(received == Self.size)
  }

  @Test func `a file that grows while it goes out arrives as long as it was`() async throws {
    let (error, received) = try await upload { truncate(path, 2 * off_t(Self.size)) }
    #expect(error == nil)
    #expect(received == Self.size)
  }

  @Test(.besidePeers, arguments: [true, false])
  func `a stream arrives at nginx whole, its length known or not`(isKnown: Bool) async throws {
    let body = RequestBody.stream(length: isKnown ? 3_000_000 : nil) {
      AsyncStream<[UInt8]> { continuation in
        for _ in 0..<300 { continuation.yield([UInt8](repeating: 1, count: 10_000)) }
        continuation.finish()
      }
    }
    let seen = Mutex<[TransferProgress]>([])
    let size = try await Peer.nginx.session().upload(body, to: "echo-size")
      .uploadProgress { progress in seen.withLock { $0.append(progress) } }.serializingString().value
    #expect(size == "3000000\n")
    #expect(
      seen.withLock { $0.last }.map { $0.completed == 3_000_000 && $0.total == (isKnown ? 3_000_000 : nil) } == true)
  }

  @Test(.besidePeers)
  func `a body that is coded while it is sent has Content-Encoding, and nginx receives fewer bytes`() async throws {
    let session = try Peer.nginx.session()
    let size = try await session.upload(.file(path), to: "echo-size").adapter(RequestCompression(GzipCoding()))
      .serializingString().value
    #expect(Int(size.trimmingCharacters(in: .newlines)).map { $0 > 0 && $0 < 1 << 20 } == true)
    let echo = try await Peer.httpbin.session().upload(.text(String(repeating: "lupine ", count: 1_000)), to: "post")
      .adapter(RequestCompression(GzipCoding())).serializingDecodable(Echo.self).value
    #expect(echo.headers["Content-Encoding"] == "gzip")
    #expect(echo.data.hasPrefix("data:application/octet-stream;base64,H4sI"))
  }

  @Test(.besidePeers) func `an upload reports its progress, and the server its size`() async throws {
    let file = RequestBody.file(path, length: 3 << 20)
    let seen = Mutex<[TransferProgress]>([])
    let size = try await Peer.nginx.session().upload(file, to: "echo-size", expectsContinue: true)
      .uploadProgress { progress in seen.withLock { $0.append(progress) } }.serializingString().value
    let figures = seen.withLock { $0 }
    #expect(size == "\(3 << 20)\n")
    #expect(figures.last?.fractionCompleted == 1)
    #expect(zip(figures, figures.dropFirst()).allSatisfy { $0.completed < $1.completed })
  }
}
