import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct FramingTests {
  @Test(arguments: [
    ScriptedReply.contentLengthWithChunked, .doubledContentLength(5, 5), .doubledContentLength(5, 6),
    .contentLength("+5"), .contentLength("0x5"), .contentLength("5,5"), .contentLength("5, 5"), .contentLength("5 5"),
    .contentLength("-5"), .contentLength(""), .contentLength("5a"), .contentLength("99999999999999999999"),
    .bareLineFeeds, .obsoleteFold, .malformedChunk(), .garbage,
  ])
  func `an ambiguous response is refused and its connection closed`(_ reply: ScriptedReply) async throws {
    try await expectRefusal(reply)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\n Content-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\n: nameless\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nX-\u{E9}: name\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nX-A: one\rX-B: two\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nX-A: \u{1}\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 20 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 099 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello",
    "HTTP/1.1 103 Early\r\nX-A : 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  ])
  func `a head that breaks the grammar is refused`(_ text: String) async throws {
    try await expectRefusal(.verbatim(text))
  }

  @Test func `trailers are read as strictly as a head`() async throws {
    try await expectRefusal(
      .verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-A : 1\r\n\r\n"))
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length:5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: \t5 \t\r\n\r\nhello",
    "HTTP/1.1 200\r\nContent-Length: 0005\r\n\r\nhello",
    "HTTP/1.1 200 \r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  ])
  func `unusual but valid responses are accepted`(_ text: String) async throws {
    let server = try ScriptedServer(always: .verbatim(text))
    let client = Client()
    #expect(try await client.fetch(server.url).text == "hello")
    await client.transport.shutdown()
  }

  private func expectRefusal(_ reply: ScriptedReply) async throws {
    let server = try ScriptedServer { $0.number == 0 ? reply : .respond(body: .text("good")) }
    let client = Client()
    #expect(await client.failure(server.url)?.kind == .malformedResponse)
    #expect(try await client.fetch(server.url).text == "good")
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }
}
