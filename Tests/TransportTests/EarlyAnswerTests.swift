import LupineCore
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Complete responses from servers that stop reading the upload.
@Suite(.overEachTransport, .timeLimit(.minutes(2))) struct EarlyAnswerTests {
  @Test(arguments: [200, 413], [false, true])
  func `a complete response is returned although the upload never ends`(status: Int, isStalled: Bool) async throws {
    let server = try ScriptedServer(readsBody: false) { request in
      if request.method == .get { return .respond(body: .text("next")) }
      let reply = [.readBody(upTo: 3)] + ScriptedReply.respond(status: status, body: .text("enough")).steps
      return ScriptedReply(reply, connection: .keep)
    }
    let client = Client()
    // The body has no further piece for now, or more bytes than the buffers of the connection take.
    let body: RequestBody =
      isStalled
      ? .stream { GatedPieces([[1, 2, 3]], Gate(), []) }
      : .stream(length: 64 << 20) { Pieces((0..<64).map { _ in [UInt8](repeating: 1, count: 1 << 20) }) }
    let response = try await client.fetch(server.url, method: .post, body: body)
    #expect(response.status == status)
    #expect(response.text == "enough")
    #expect(try await client.fetch(server.url).text == "next")
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test(arguments: [200, 413])
  func `a complete response over HTTP 2 is returned although the window of the upload stays closed`(
    status: Int
  ) async throws {
    // With a window of 0 the client cannot send its body.
    let peer = try HTTP2Peer(
      settings: HTTP2Peer.Frame.initialWindow(0).payload,
      onHead: { stream in
        [.send(.head(stream, status: status, [("content-length", "6")])), .send(.data(stream, "enough", ends: true))]
      },
      script: { stream, _ in
        [.send(.head(stream, [("content-length", "4")])), .send(.data(stream, "next", ends: true))]
      })
    defer { peer.stop() }
    let client = Client.trusting()
    let body = RequestBody.text(String(repeating: "x", count: 100_000))
    let response = try await client.fetch(peer.url, method: .post, body: body) { $0.options.version = .http2 }
    #expect(response.status == status)
    #expect(response.text == "enough")
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "next")
    await client.transport.shutdown()
  }

  /// The body has no further piece until the end of the test.
  @Test(arguments: ["", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Le"])
  func `a connection that the server closes ends an exchange whose upload waits`(start: String) async throws {
    let server = try ScriptedServer(readsBody: false) { request in
      if request.method == .get { return .respond(body: .text("next")) }
      return ScriptedReply([.readBody(upTo: 3), .raw(text: start)], connection: .close)
    }
    defer { server.stop() }
    let (client, rest) = (Client(), Gate())
    let error = await client.failure(server.url, method: .post, body: .stream { GatedPieces([[1, 2, 3]], rest, []) })
    #expect(error?.kind == .connectionLost)
    #expect(try await client.fetch(server.url).text == "next")
    await client.transport.shutdown()
  }

  @Test(arguments: [true, false])
  func `a connection of TLS that the server closes ends an exchange whose upload waits`(
    isMultiplexed: Bool
  ) async throws {
    let listener = try LoopbackListener()
    listener.start { descriptor in
      guard let connection = TLSConnection(descriptor, isMultiplexed: isMultiplexed) else { return }
      if isMultiplexed { _ = connection.write(HTTP2Peer.Frame(type: 4).bytes) }
      var bytes: [UInt8] = []
      while !bytes.suffix(3).elementsEqual([1, 2, 3]), let byte = connection.read(1) { bytes += byte }
      connection.end()
    }
    defer { listener.stop() }
    let (client, rest) = (Client.trusting(), Gate())
    let error = await client.failure(
      "https://localhost:\(listener.port)/", method: .post,
      body: .stream(length: 6) { GatedPieces([[1, 2, 3]], rest, []) }
    ) { if isMultiplexed { $0.options.version = .http2 } }
    #expect(error?.kind == .connectionLost)
    await client.transport.shutdown()
  }
}
