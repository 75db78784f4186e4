import Lupine
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct FramingTests {
  static let lies: [String: ScriptedReply] = [
    "two lengths": .doubledContentLength(3, 5), "length and chunks": .contentLengthWithChunked,
    "+5": .contentLength("+5"), "0x5": .contentLength("0x5"), "5,6": .contentLength("5,6"),
    "5,5": .contentLength("5,5"), "-5": .contentLength("-5"),
    "5 5": .contentLength("5 5"), "bare line feeds": .bareLineFeeds, "folded": .obsoleteFold, "garbage": .garbage,
    "chunk zz": .malformedChunk(), "early end": .truncated(afterBytes: 4, of: .filler(9)),
    "chunks without end": .truncatedChunks([[1, 2]]),
  ]

  @Test(arguments: lies.keys.sorted())
  func `wrong framing is an error, and its connection is not used again`(name: String) async throws {
    let lie = try #require(Self.lies[name])
    try await expectRefusal(lie, [.malformedResponse, .connectionLost])
  }

  @Test(arguments: [
    "0x5", "5_0", "5g", "5 ", "5 g", "5\r\r;a", "+5", "-5", "", "5;", "5;a=\0", "5;a\rb", "5;a b", "00000000000000005",
    "8000000000000000",
  ])
  func `a malformed chunk header is an error, and its connection is not used again`(
    header: String
  ) async throws {
    try await expectRefusal(.malformedChunk(size: header), [.malformedResponse])
    // The same header in place of the last chunk, after which a lenient reader would find the end of the body.
    let last = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n\(header)\r\n\r\nhello\r\n0\r\n\r\n"
    if !header.isEmpty { try await expectRefusal(.verbatim(last), [.malformedResponse]) }
  }

  @Test(arguments: ["5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n"])
  func `a line among chunks that ends in a line feed alone is an error`(chunks: String) async throws {
    try await expectRefusal(
      .verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks), [.malformedResponse])
  }

  @Test func `an extension of a chunk that never ends is an error`() async throws {
    try await expectRefusal(.endlessChunkExtension, [.limitExceeded(.chunkExtensions)])
  }

  /// Responses that end earlier for a client than for some servers, with the method of their request.
  static let ends: [String: (HTTPRequest.Method, String)] = [
    "204": (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
    "204 with a length": (.get, "HTTP/1.1 204 No Content\r\nContent-Length: 42\r\n\r\n"),
    "304": (.get, "HTTP/1.1 304 Not Modified\r\n\r\n"),
    "304 with a length": (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 42\r\n\r\n"),
    "a length of 0": (.get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    "a length": (.get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
    "chunks": (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    "chunks with a trailer": (
      .get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n"
    ),
    "HEAD": (.head, "HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n"),
    "HEAD with chunks": (.head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
  ]

  @Test(arguments: ends.keys.sorted())
  func `a response that begins in the same write as the end of another answers no request`(
    name: String
  ) async throws {
    let (method, whole) = try #require(Self.ends[name])
    for place in 1...Self.evil.utf8.count {
      let server = try ScriptedServer { request in
        if request.path == "/first" { return .verbatim(whole + Self.evil.prefix(place)) }
        // The server sends the rest when it receives the next request on the connection.
        return request.index > 0 ? .verbatim(String(Self.evil.dropFirst(place))) : .respond(body: .text("ok"))
      }
      defer { server.stop() }
      let session = try networkSession()
      let first = await session.request(server.url + "/first", method: method).serializingData().response
      #expect(first.response != nil && first.error?.kind != .connectionLost, "\(place)")
      #expect(try await session.request(server.url + "/next").serializingString().value == "ok", "\(place)")
    }
  }

  @Test(.overEachTransport(needs: [.connectionAuthentication]))
  func `bytes behind a challenge that libcurl answers are not read as the answer`() async throws {
    let question = "TlRMTVNTUAACAAAAAAAAADAAAAABAoEAASNFZ4mrze8AAAAAAAAAAAAAAAAAAAAA"
    let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM \(question)\r\n"
    for content in [
      "Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\nno",
      "Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
    ] {
      for place in [0, 1, 20, Self.evil.utf8.count] {
        let server = try ScriptedServer { request in
          if request.index == 0 { return .verbatim(head + content + Self.evil.prefix(place)) }
          return .verbatim(place == 0 ? Self.good : String(Self.evil.dropFirst(place)))
        }
        defer { server.stop() }
        let session = try networkSession { $0.baseURL(server.url).install(.ntlm(username: "ali", password: "sesame")) }
        let response = await session.request(server.url).serializingString().response
        if place == 0 {
          #expect(response.value == "good")
        } else {
          #expect(response.error?.kind == .malformedResponse, "\(content), \(place): \(response)")
        }
      }
    }
  }

  private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
  private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"

  private func expectRefusal(_ reply: ScriptedReply, _ kinds: [LupineError.Kind]) async throws {
    let server = try ScriptedServer { $0.path == "/lie" ? reply : .respond(body: .text("ok")) }
    defer { server.stop() }
    let session = try networkSession()
    let error = await session.request(server.url + "/lie").serializingData().response.error
    #expect(error.map { kinds.contains($0.kind) } == true, "\(String(describing: error))")
    #expect(try await session.request(server.url + "/next").serializingString().value == "ok")
    #expect(server.requests.last?.connection == 1)
  }
}
