import Foundation
import Lupine
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// Responses whose body does not match the length that their head states.
@Suite(.overEachTransport) struct LyingLengthTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func download(_ text: String) async throws -> DownloadResponse<URL> {
    let server = try ScriptedServer(always: [.raw(text: text), .close])
    defer { server.stop() }
    return await (try Session.Builder().transport(.curl).build()).download(server.url, to: .file(folder.file("a")))
      .serializingFile().response
  }

  @Test func `a body that is shorter than its Content-Length is an error, and the destination stays empty`()
    async throws
  {
    let response = try await download("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123")
    #expect(response.error?.kind == .connectionLost)
    #expect(folder.names.isEmpty)
  }

  @Test func `a chunked body without its end is an error`() async throws {
    let response = try await download("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n")
    #expect(response.error?.kind == .connectionLost)
    #expect(folder.names.isEmpty)
  }

  @Test func `bytes after the length are no part of the file`() async throws {
    let response = try await download("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n0123456789")
    #expect(response.error == nil)
    #expect(try Data(contentsOf: URL(filePath: folder.file("a"))) == Data("0123".utf8))
  }

  @Test func `a part that was not requested is an error`() async throws {
    let response = try await download(
      "HTTP/1.1 206 x\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\n0123")
    #expect(response.error?.kind == .malformedResponse)
    #expect(folder.names.isEmpty)
  }
}
