import Dispatch
import LupineCore
import LupineTesting
import PeerSupport
import Synchronization
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

  /// Each piece of the upload is received before the next one is read, so the socket takes bytes at any time.
  @Test
  func `a complete response is returned although the server takes the upload as fast as it is sent`() async throws {
    let listener = try LoopbackListener()
    defer { listener.stop() }
    let received = ReceivedKibibytes()
    listener.start { descriptor in
      let connection = ClearConnection(descriptor)
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = connection.read(1) { head += byte }
      var count = 0
      while connection.read(1 << 10) != nil {
        received.add()
        count += 1
        if count == 1 << 10 {
          _ = connection.write(Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 6\r\n\r\nenough".utf8))
        }
      }
      received.end()
    }
    let client = Client()
    let pieces = AwaitedPieces(count: 256 << 20, received)
    let response = try await client.fetch(
      "http://127.0.0.1:\(listener.port)/", method: .post,
      body: RequestBody(length: 256 << 20, isReplayable: false) { _ in pieces })
    #expect(response.status == 413)
    #expect(response.text == "enough")
    #expect(pieces.total < 64 << 20)
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

/// Counts the content that a peer has received, in KiB.
private final class ReceivedKibibytes: Sendable {
  private let tokens = DispatchSemaphore(value: 0)
  private let hasEnded = Atomic(false)

  func add() { tokens.signal() }

  func end() {
    hasEnded.store(true, ordering: .relaxed)
    tokens.signal()
  }

  /// Waits until the peer has received so much more, or the connection has ended.
  func wait(for count: Int) {
    for _ in 0..<count where !hasEnded.load(ordering: .relaxed) { tokens.wait() }
  }
}

/// Zeros, of which it yields the next piece when a peer has received the last one.
private final class AwaitedPieces: BodyReader {
  let length: Int64?
  private let received: ReceivedKibibytes
  private let state: Mutex<(left: Int, last: Int)>
  private let count: Int

  init(count: Int, _ received: ReceivedKibibytes) {
    length = Int64(count)
    self.count = count
    self.received = received
    state = Mutex((count, 0))
  }

  /// The number of bytes yielded.
  var total: Int { count - state.withLock { $0.left } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let (left, last) = state.withLock { ($0.left, $0.last) }
    // A transport may look for the end before it sends the last piece.
    guard left > 0 else { return .end }
    received.wait(for: last >> 10)
    return state.withLock { state in
      let count = min(buffer.count & ~1023, state.left)
      state = (state.left - count, count)
      return .bytes(count)
    }
  }

  func cancel() { received.end() }
}
