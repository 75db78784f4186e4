import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

/// Chunked bodies through the transport; `ChunkReaderTests` tests the grammar of chunks in detail.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct ChunkTests {
  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  private static let broken = [
    "5\r\nhello\r\n0x5\r\n\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5_0\r\nhello\r\n0\r\n\r\n",
    "5g\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", "5\r\r;a\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n", "5;a=\0\r\nhello\r\n0\r\n\r\n",
    "5;a\rb\r\nhello\r\n0\r\n\r\n", "00000000000000005\r\nhello\r\n0\r\n\r\n", "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n0\r\nX-A : 1\r\n\r\n", "5\r\nhello\r\n0\r\nX-A\r\n\r\n", "5\r\nhello\r\n0\r\n X-A: 1\r\n\r\n",
  ]

  @Test(arguments: broken)
  func `chunks that break the grammar are refused, and their connection with them`(chunks: String) async throws {
    let all = Array((Self.head + chunks).utf8)
    let inTwo = (Self.head.utf8.count..<all.count).map { [Array(all[..<$0]), Array(all[$0...])] }
    let cuts = [[all]] + inTwo + [all.map { [$0] }]
    let server = try ScriptedServer { request in
      guard let number = Int(request.path.dropFirst()) else { return .respond(body: .text("good")) }
      return ScriptedReply(cuts[number].flatMap { [.raw($0), .signal(Gate())] }, connection: .keep)
    }
    defer { server.stop() }
    let client = Client()
    for (number, pieces) in cuts.enumerated() {
      #expect(await client.failure(server.url + "/\(number)")?.kind == .malformedResponse, "\(pieces.map(\.count))")
      #expect(try await client.fetch(server.url + "/next").text == "good")
      // Each refusal closes its connection, so that the next request needs a new one.
      #expect(server.connectionCount == number + 2)
    }
    await client.transport.shutdown()
  }

  @Test(arguments: broken)
  func `chunks that break the grammar are refused over TLS, wherever its records cut them`(chunks: String) async throws
  {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), ending: .none)
    defer { peer.stop() }
    let client = Client.trusting()
    for pieces in WirePeer.Pieces.allCases.flatMap({ $0.cuts(of: Array((Self.head + chunks).utf8)) }) {
      peer.play(pieces)
      #expect(await client.failure(peer.url)?.kind == .malformedResponse, "\(pieces.map(\.count))")
    }
    await client.transport.shutdown()
  }

  @Test func `chunks that keep the grammar are read over TLS, wherever its records cut them`() async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), ending: .none)
    defer { peer.stop() }
    let answer = Array((Self.head + "5;a=\"b\"\r\nhello\r\n00\r\nX-A: 1\r\n\r\n").utf8)
    for pieces in WirePeer.Pieces.allCases.flatMap({ $0.cuts(of: answer) }) {
      peer.play(pieces)
      // The peer answers one request on each connection.
      let client = Client.trusting()
      let response = try await client.fetch(peer.url)
      #expect(response.text == "hello", "\(pieces.map(\.count))")
      #expect(response.end.trailers?.first?.value == "1", "\(pieces.map(\.count))")
      await client.transport.shutdown()
    }
  }

  @Test func `extensions without end are refused`() async throws {
    let server = try ScriptedServer(always: .endlessChunkExtension)
    defer { server.stop() }
    let client = Client()
    #expect(await client.failure(server.url)?.kind == .limitExceeded(.chunkExtensions))
    try await server.waitForOpenConnections(0)
    await client.transport.shutdown()
  }

  @Test(arguments: [
    "", "5", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0", "5\r\nhello\r\n0\r\n", "0\r\nX-A: 1\r\n",
  ])
  func `a connection that ends before the last chunk does is lost`(chunks: String) async throws {
    let server = try ScriptedServer(always: [.raw(text: Self.head + chunks), .close])
    defer { server.stop() }
    let client = Client()
    let error = await client.failure(server.url)
    #expect(error?.kind == .connectionLost)
    #expect(error?.metrics?.bytesReceived == (chunks.contains("hello") ? 5 : chunks.contains("hel") ? 3 : 0))
    await client.transport.shutdown()
  }

  @Test(arguments: [1, 3, 100, 1_000, 20_000])
  func `chunks of any size arrive whole at a consumer who holds them back`(size: Int) async throws {
    let content = ScriptedBody.filler(60_000).bytes
    let chunks = stride(from: 0, to: content.count, by: size).map { start in
      ScriptedReply.Step.chunk(Array(content[start..<min(start + size, content.count)]), extensions: ";at=\"\(start)\"")
    }
    let steps = [ScriptedReply.Step.raw(text: Self.head)] + chunks + [.endChunks(trailers: ["X-A": "1"])]
    let server = try ScriptedServer(always: ScriptedReply(steps))
    defer { server.stop() }
    var client = Client()
    client.limits.chunkExtensions = 1 << 20
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url)), in: client.context(sink: .stream(window: 700)))
    var received: [UInt8] = []
    while let piece = try await response.body.next() {
      #expect(piece.count <= 700 + size)
      received += piece
      if size > 100 || received.count % 7 == 0 { await Task.yield() }
    }
    #expect(received == content)
    let end = try await response.body.end()
    #expect(end.metrics.bytesReceived == 60_000)
    #expect(end.trailers?.first?.value == "1")
    await client.transport.shutdown()
  }

  @Test func `a limit counts the content of chunks and not their framing`() async throws {
    let server = try ScriptedServer(always: .chunked((0..<100).map { [UInt8($0)] }))
    defer { server.stop() }
    let client = Client()
    for (limit, isWithin) in [(100 as Int64, true), (99, false)] {
      let response = try await client.transport.send(
        OutgoingRequest(url: HTTPURL(server.url)), in: client.context(sink: .collect(limit: limit)))
      do {
        #expect(try await response.body.end().data.count == 100)
        #expect(isWithin)
      } catch {
        #expect(error.kind == .limitExceeded(.responseBody))
        #expect(!isWithin)
      }
    }
    await client.transport.shutdown()
  }
}
