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
}
