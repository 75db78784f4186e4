import HTTPTypes
import LupineCore
import LupineSession
import LupineTesting
import Synchronization
import PeerSupport
import Testing
import TransportSupport

/// Requests that a server has declared unprocessed, and requests whose processing is unknown.
@Suite(.overEachTransport) struct UnprocessedTests {
  private static let ok: @Sendable (UInt32) -> [HTTP2Peer.Step] = { stream in
    [.send(.head(stream, [("content-length", "2")])), .send(.data(stream, "ok", ends: true))]
  }

  private func failure(_ client: Client, _ peer: HTTP2Peer) async -> LupineError? {
    await client.failure(peer.url, method: .post, body: .text("pay")) { $0.options.version = .http2 }
  }

  private func session(_ client: Client, _ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    try change(Session.Builder().transport(client.transport).httpVersion(.http2)).build()
  }

  @Test(arguments: [true, false], [7, 0])
  func `a refused stream and a GOAWAY below it prove that nothing was processed`(isSecured: Bool, code: UInt32)
    async throws
  {
    // The refused request is the first one of a connection, and over TLS also the second one.
    for number in isSecured ? [0, 1] : [0] {
      let peer = try HTTP2Peer(isSecured: isSecured) { stream, count in
        if count < number { return Self.ok(stream) }
        return [.send(code == 7 ? .reset(stream, code: 7) : .goAway(last: stream == 1 ? 0 : stream - 2))]
      }
      let client = Client.trusting()
      for _ in 0..<number { #expect(await failure(client, peer) == nil) }
      let error = await failure(client, peer)
      #expect(error?.kind == .connectionLost)
      #expect(error?.isUnprocessed == true)
      #expect(error?.metrics?.isConnectionReused == (number > 0))
      #expect(peer.requestCount == number + 1)
      // The failed request is not repeated, so that no second connection is made.
      #expect(peer.connectionCount == 1)
      peer.stop()
      await client.transport.shutdown()
    }
  }

  @Test(arguments: [true, false])
  func `libcurl's lines about refused streams are parsed in pieces of any size`(isSecured: Bool) async throws {
    let client = Client.trusting()
    for frame in [HTTP2Peer.Frame.reset(1, code: 7), .goAway(last: 0)] {
      let bytes = frame.bytes
      let cuts = (1..<bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]
      for pieces in cuts {
        let peer = try HTTP2Peer(isSecured: isSecured) { _, _ in pieces.map { .raw($0) } }
        #expect(await failure(client, peer)?.isUnprocessed == true)
        #expect(peer.requestCount == 1)
        peer.stop()
      }
    }
    await client.transport.shutdown()
  }

  @Test(arguments: [true, false])
  func `a request is not unprocessed without proof from the server`(isSecured: Bool) async throws {
    let scripts: [@Sendable (UInt32) -> [HTTP2Peer.Step]] = [
      { [.send(.goAway(last: $0)), .close] }, { [.send(.goAway(last: $0 + 2)), .close] },
      { _ in [.send(.goAway(last: 0x7FFF_FFFF)), .close] }, { _ in [.close] }, { [.send(.reset($0, code: 2))] },
      { [.send(.reset($0, code: 8))] },
    ]
    for script in scripts {
      for number in isSecured ? [0, 1] : [0] {
        let peer = try HTTP2Peer(isSecured: isSecured) { stream, count in
          count < number ? Self.ok(stream) : script(stream)
        }
        let client = Client.trusting()
        let session = try session(client)
        for _ in 0..<number { #expect(await failure(client, peer) == nil) }
        let response = await session.request(peer.url, method: .post).serializingString().response
        #expect(response.error?.kind == .connectionLost)
        #expect(response.error?.isUnprocessed == false)
        #expect(peer.requestCount == number + 1)
        peer.stop()
        await client.transport.shutdown()
      }
    }
  }

  @Test func `a GOAWAY concerns all streams of a connection, those above its last stream and those below`() async throws
  {
    let peer = try HTTP2Peer(isSecured: true) { stream, number in
      switch number {
      case 0: Self.ok(stream)
      // The last of the four concurrent streams.
      case 4: [.send(.goAway(last: stream - 4))] + Self.ok(stream - 4) + Self.ok(stream - 6)
      default: []
      }
    }
    defer { peer.stop() }
    let client = Client.trusting()
    #expect(await failure(client, peer) == nil)
    let errors = await withTaskGroup(of: LupineError?.self) { group in
      for _ in 1...4 { group.addTask { await failure(client, peer) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.count { $0 == nil } == 2)
    #expect(errors.count { $0?.isUnprocessed == true } == 2)
    #expect(peer.requestCount == 5)
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test(arguments: [true, false], [7, 0])
  func `a POST that was not processed goes out again and is answered`(isSecured: Bool, code: UInt32) async throws {
    let peer = try HTTP2Peer(isSecured: isSecured) { stream, number in
      number < 3 ? [.send(code == 7 ? .reset(stream, code: 7) : .goAway(last: 0))] : Self.ok(stream)
    }
    defer { peer.stop() }
    let client = Client.trusting()
    let session = try session(client)
    let response = await session.upload(.text("pay"), to: peer.url).serializingString().response
    #expect(response.value == "ok")
    #expect(peer.requestCount == 4)
    await client.transport.shutdown()
  }

  @Test func `a POST that is refused for ever goes out 17 times`() async throws {
    let peer = try HTTP2Peer(isSecured: true) { stream, _ in [.send(.reset(stream, code: 7))] }
    defer { peer.stop() }
    let client = Client.trusting()
    let error = await (try session(client)).upload(.text("pay"), to: peer.url).serializingString().response.error
    #expect(error?.isUnprocessed == true)
    #expect(peer.requestCount == 17)
    await client.transport.shutdown()
  }

  @Test(arguments: [HTTPRequest.Method.get, .post])
  func `sixty requests to a server that sends GOAWAY every five streams are each processed once`(
    method: HTTPRequest.Method
  ) async throws {
    let processed = Mutex(0)
    let peer = try HTTP2Peer(isSecured: true) { stream, _ in
      guard stream <= 9 else { return [] }
      processed.withLock { $0 += 1 }
      return Self.ok(stream) + (stream == 9 ? [.send(.goAway(last: 9))] : [])
    }
    defer { peer.stop() }
    let client = Client.trusting()
    let session = try session(client)
    // Twelve concurrent requests, so that no request is refused by more than three GOAWAY frames.
    for _ in 1...5 {
      await withTaskGroup(of: LupineError?.self) { group in
        for _ in 1...12 {
          group.addTask { await session.request(peer.url, method: method).serializingString().response.error }
        }
        for await error in group { #expect(error == nil) }
      }
    }
    #expect(processed.withLock { $0 } == 60)
    await client.transport.shutdown()
  }

  @Test func `requests one after the other find a new connection behind each GOAWAY`() async throws {
    let peer = try HTTP2Peer(isSecured: true) { stream, _ in
      stream <= 9 ? Self.ok(stream) + (stream == 9 ? [.send(.goAway(last: 9))] : []) : []
    }
    defer { peer.stop() }
    let client = Client.trusting()
    let session = try session(client)
    for _ in 1...30 {
      #expect(await session.request(peer.url, method: .post).serializingString().response.value == "ok")
    }
    #expect(peer.connectionCount == 6)
    await client.transport.shutdown()
  }

  @Test(arguments: [false, true])
  func `a GET whose kept connection dies before the answer goes out again, and a POST does not`(isReset: Bool)
    async throws
  {
    for method in [HTTPRequest.Method.get, .post] {
      let server = try ScriptedServer { request in
        request.number == 1 ? (isReset ? .resetBeforeHead : .closeBeforeHead) : .respond(body: .text("ok"))
      }
      let client = Client()
      let session = try Session.Builder().transport(client.transport).build()
      #expect(await session.request(server.url).serializingString().response.value == "ok")
      let response = await session.request(server.url, method: method).serializingString().response
      #expect(response.value == (method == .get ? "ok" : nil))
      #expect(response.error?.isUnprocessed != true)
      #expect(server.requests.count == (method == .get ? 3 : 2))
      await client.transport.shutdown()
    }
  }

  @Test func `a GET whose kept connection dies over HTTP 2 goes out again`() async throws {
    let peer = try HTTP2Peer(isSecured: true) { stream, number in number == 1 ? [.close] : Self.ok(stream) }
    defer { peer.stop() }
    let client = Client.trusting()
    let session = try session(client)
    for _ in 1...2 { #expect(await session.request(peer.url).serializingString().response.value == "ok") }
    #expect(peer.requestCount == 3)
    await client.transport.shutdown()
  }

  @Test func `a GET whose new connection dies does not go out again`() async throws {
    let server = try ScriptedServer(always: .closeBeforeHead)
    let client = Client()
    let session = try Session.Builder().transport(client.transport).build()
    #expect(await session.request(server.url).serializingString().response.error?.kind == .connectionLost)
    #expect(server.requests.count == 1)
    await client.transport.shutdown()
  }
}
