import Lupine
import LupineTesting
import Testing

@Suite struct FramingTests {
  static let lies: [String: ScriptedReply] = [
    "two lengths": .doubledContentLength(3, 5), "length and chunks": .contentLengthWithChunked,
    "+5": .contentLength("+5"), "0x5": .contentLength("0x5"), "5,6": .contentLength("5,6"),
    "5,5": .contentLength("5,5"), "-5": .contentLength("-5"),
    "5 5": .contentLength("5 5"), "bare line feeds": .bareLineFeeds, "folded": .obsoleteFold, "garbage": .garbage,
    "chunk zz": .malformedChunk(), "early end": .truncated(afterBytes: 4, of: .filler(9)),
    "chunks without end": .truncatedChunks([[1, 2]]),
  ]

  @Test(arguments: lies.keys.sorted())
  func `S20 a lie about the framing is an error, and its connection is not used again`(name: String) async throws {
    let lie = try #require(Self.lies[name])
    let server = try ScriptedServer { $0.path == "/lie" ? lie : .respond(body: .text("ok")) }
    defer { server.stop() }
    let session = try curlSession()
    let error = await session.request(server.url + "/lie").serializingData().response.error
    #expect([.malformedResponse, .connectionLost].contains(error?.kind))
    #expect(try await session.request(server.url + "/next").serializingString().value == "ok")
    #expect(server.requests.last?.connection == 1)
  }

  @Test(arguments: [204, 304])
  func `S20 a body where none may be reaches no other request`(status: Int) async throws {
    let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)
    let server = try ScriptedServer { request in
      request.path == "/first" ? .surplusAfter(.respond(status: status), evil) : .respond(body: .text("ok"))
    }
    defer { server.stop() }
    let session = try curlSession()
    _ = await session.request(server.url + "/first").serializingData().response
    #expect(try await session.request(server.url + "/next").serializingString().value == "ok")
  }

  @Test func `S20 bytes after the answer to HEAD reach no other request`() async throws {
    let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)
    let server = try ScriptedServer { request in
      request.path == "/first" ? .surplusAfter(.respond(body: .text("hidden")), evil) : .respond(body: .text("ok"))
    }
    defer { server.stop() }
    let session = try curlSession()
    _ = await session.request(server.url + "/first", method: .head).serializingData().response
    #expect(try await session.request(server.url + "/next").serializingString().value == "ok")
  }
}
