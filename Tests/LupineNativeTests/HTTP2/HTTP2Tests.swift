import HTTPTypes
import LupineCore
import LupineNative
import LupineSession
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

@Suite(.timeLimit(.minutes(1))) struct HTTP2Tests {
  private typealias Frame = HTTP2Peer.Frame

  private func failure(_ client: Client, _ peer: HTTP2Peer, _ method: HTTPRequest.Method = .get) async -> LupineError? {
    await client.failure(peer.url, method: method) { $0.options.version = .http2 }
  }

  @Test func `many exchanges share a connection, and none dials beside it`() async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.head(stream)), .send(.data(stream, "ok", ends: true))] }
    defer { peer.stop() }
    let client = Client.native()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<300 {
        group.addTask { try await client.fetch(peer.url) { $0.options.version = .http2 }.text }
      }
      for try await text in group { #expect(text == "ok") }
    }
    #expect(peer.connectionCount == 1)
    #expect(peer.requestCount == 300)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 1, idle: 1))
    await client.transport.shutdown()
  }

  /// SETTINGS_MAX_CONCURRENT_STREAMS is 2.
  @Test func `further connections are made when the peer permits no more streams`() async throws {
    let peer = try HTTP2Peer(settings: [0, 3, 0, 0, 0, 2]) { stream, _ in
      [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
    }
    defer { peer.stop() }
    var client = Client.native()
    client.options.perHost = 3
    try await withThrowingTaskGroup(of: String.self) { [client] group in
      for _ in 0..<50 {
        group.addTask { try await client.fetch(peer.url) { $0.options.version = .http2 }.text }
      }
      for try await text in group { #expect(text == "ok") }
    }
    #expect(peer.requestCount == 50)
    #expect((1...3).contains(peer.connectionCount))
    await client.transport.shutdown()
  }

  @Test func `a cancelled exchange resets its stream and keeps the connection`() async throws {
    let peer = try HTTP2Peer { stream, number in
      number == 0 ? [.send(.head(stream))] : [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
    }
    defer { peer.stop() }
    let client = Client.native()
    let control = ExchangeControl()
    var request = try OutgoingRequest(url: HTTPURL(peer.url))
    request.options.version = .http2
    let response = try await client.transport.send(request, in: client.context(control: control))
    control.cancel(LupineError(.cancelled, "Enough."))
    await #expect(throws: LupineError.self) { try await response.body.end() }
    #expect(await failure(client, peer) == nil)
    #expect(peer.connectionCount == 1)
    #expect(peer.resets == [HTTP2Peer.Reset(stream: 1, code: 8)])
    await client.transport.shutdown()
  }

  @Test func `idle connections are closed after their lifetime`() async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.head(stream)), .send(.data(stream, "ok", ends: true))] }
    defer { peer.stop() }
    var configuration = NativeTransport.Configuration()
    configuration.network.idleConnectionLifetime = .milliseconds(50)
    let client = Client.native(configuration)
    #expect(await failure(client, peer) == nil)
    try await peer.ended.opened()
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test func `a connection that is not kept alive is closed after its exchange`() async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.head(stream)), .send(.data(stream, "ok", ends: true))] }
    defer { peer.stop() }
    var client = Client.native()
    client.options.isKeptAlive = false
    for _ in 1...2 { #expect(await failure(client, peer) == nil) }
    #expect(peer.connectionCount == 2)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test func `fields of the connection are omitted, and the priority is that of RFC 9218`() async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.head(stream)), .send(.data(stream, "ok", ends: true))] }
    defer { peer.stop() }
    let client = Client.native()
    let headers: HTTPFields = [
      .connection: "close", .upgrade: "h2c", .te: "gzip",
    ]
    _ = try await client.fetch(peer.url, headers: headers) {
      $0.options.version = .http2
      $0.options.priority = .high
    }
    let block = try #require(peer.blocks.first)
    // Names and values that the static table does not have are sent as text or in Huffman coding; their sizes suffice.
    #expect(block.count < 60)
    await client.transport.shutdown()
  }
}
