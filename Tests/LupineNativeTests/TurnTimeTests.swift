import FoundationEssentials
import Glibc
import LupineCore
import LupineFixtures
import LupineNative
import LupineTesting
import PeerSupport
import Testing
import TransportSupport
import TrustSupport

/// The processor time that an exchange takes from others if its peer never stops sending or receiving.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TurnTimeTests {
  /// The peers that send without end.
  static let floods = FloodPeer.Kind.floods.filter { $0 != .challenge }

  private let transport: NativeTransport = {
    var configuration = NativeTransport.Configuration()
    configuration.loops = 1
    configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    return NativeTransport(configuration)
  }()

  /// Begins an exchange with a peer that floods it.
  private func begin(_ peer: FloodPeer, _ kind: FloodPeer.Kind, _ control: ExchangeControl) throws -> Task<Bool, Never>
  {
    var client = Client(transport)
    client.connectionKey = try peer.connectionKey
    return Task { [client, url = peer.url] in
      await client.failure(url, control: control) { $0.options.version = kind.version } != nil
    }
  }

  @Test(arguments: floods, FloodPeer.Line.allCases)
  func `a flood holds up another exchange for at most 50 ms`(kind: FloodPeer.Kind, line: FloodPeer.Line) async throws {
    // A tunnel needs a name for its target, and so no Unix-domain socket.
    if kind == .tunnel, line == .unixSocket { return }
    let peer = try FloodPeer(kind, over: line)
    let control = ExchangeControl()
    let timer = TurnTimer(transport)
    let exchange = try begin(peer, kind, control)
    try await peer.isFlooding.opened()
    try await timer.checkNeighbour(on: transport)
    if kind.isBody { control.cancel(LupineError(.cancelled, "Enough.")) }
    // The refusal of a tunnel is a response, whose body is not read.
    #expect(await exchange.value || kind == .tunnel)
    await transport.shutdown()
  }

  /// An interim head a little smaller than the limit of fields.
  private static let interim = Array(
    ("HTTP/1.1 103 Early Hints\r\n"
      + String(repeating: "X: " + String(repeating: "a", count: 1_024) + "\r\n", count: 120) + "\r\n").utf8)

  /// The bytes of a peer that sends large pieces as fast as it can.
  static let streams: [String: (head: [UInt8], unit: [UInt8])] = [
    "a body": (
      Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n".utf8), [UInt8](repeating: 0, count: 1 << 20)
    ),
    "an endless head": (Array("HTTP/1.1 200 OK\r\nA: ".utf8), [UInt8](repeating: 0x61, count: 1 << 20)),
    "large interim heads": (interim, interim),
    "endless chunks": (
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8),
      Array(
        repeatElement(Array("400\r\n".utf8) + [UInt8](repeating: 0, count: 1_024) + [13, 10], count: 1_024).joined())
    ),
    "endless chunk extensions": (
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;".utf8), [UInt8](repeating: 0x61, count: 1 << 20)
    ),
  ]

  /// Begins an exchange whose content is discarded, and checks the turns and a neighbour; then cancels the exchange.
  private func checkNeighbour(besides url: String, _ version: ProtocolVersion) async throws {
    let (client, control) = (Client(transport), ExchangeControl())
    let timer = TurnTimer(transport)
    var request = try OutgoingRequest(url: HTTPURL(url))
    request.options.version = version
    let exchange = Task { [request] in
      let context = client.context(control: control, sink: .discard(limit: .max))
      return try await client.transport.send(request, in: context).body.end()
    }
    try await timer.checkNeighbour(on: transport)
    control.cancel(LupineError(.cancelled, "Enough."))
    await #expect(throws: LupineError.self) { try await exchange.value }
    await transport.shutdown()
  }

  @Test(arguments: Array(streams.keys), [false, true])
  func `a peer that is faster than the client holds up another exchange for at most 50 ms`(
    name: String, isSecured: Bool
  ) async throws {
    let stream = try #require(Self.streams[name])
    let listener = try LoopbackListener()
    listener.start { descriptor in
      let connection: (any WireConnection)? =
        isSecured ? TLSConnection(descriptor, isMultiplexed: false) : ClearConnection(descriptor)
      guard let connection, connection.read(1) != nil, connection.write(stream.head) else { return }
      while connection.write(stream.unit) {}
    }
    defer { listener.stop() }
    try await checkNeighbour(
      besides: "\(isSecured ? "https" : "http")://127.0.0.1:\(listener.port)/", .http1_1)
  }

  @Test(arguments: [false, true])
  func `a body over HTTP 2 that is faster than the client holds up another exchange for at most 50 ms`(
    isSecured: Bool
  ) async throws {
    let peer = try HTTP2Peer(isSecured: isSecured) { stream, _ in
      let piece = HTTP2Peer.Frame(type: 0, stream: stream, payload: [UInt8](repeating: 0x61, count: 16 << 10))
      return [.send(.head(stream)), .flood(piece)]
    }
    defer { peer.stop() }
    try await checkNeighbour(besides: peer.url, .http2)
  }

  @Test(arguments: [false, true])
  func `a stalled stream among live ones holds up no exchange for more than 50 ms`(isSecured: Bool) async throws {
    let count = Int(1) << 20
    let peer = try HTTP2Peer(isSecured: isSecured) { stream, number in
      let piece = HTTP2Peer.Frame(type: 0, stream: stream, payload: [UInt8](repeating: 0x61, count: 16 << 10))
      let body = [HTTP2Peer.Step](repeating: .send(piece), count: count / piece.payload.count)
      // The first body has no end.
      return [.send(.head(stream))] + body + (number == 0 ? [] : [.send(.data(stream, "", ends: true))])
    }
    defer { peer.stop() }
    let (client, control) = (Client(transport), ExchangeControl())
    var request = try OutgoingRequest(url: HTTPURL(peer.url))
    request.options.version = .http2
    let stalled = try await client.transport.send(
      request, in: client.context(control: control, sink: .stream(window: 1_000)))
    let timer = TurnTimer(transport)
    try await withThrowingTaskGroup(of: Int.self) { [url = peer.url] group in
      for _ in 1...12 {
        group.addTask { try await client.fetch(url) { $0.options.version = .http2 }.end.data.count }
      }
      for try await received in group { #expect(received == count) }
    }
    try await timer.checkNeighbour(on: transport)
    #expect(peer.connectionCount == 1)
    // The stalled body waits for its reader, and is not lost.
    var received = 0
    while received < count { received += try await stalled.body.next()?.count ?? count + 1 }
    #expect(received == count)
    control.cancel(LupineError(.cancelled, "Enough."))
    await transport.shutdown()
  }

  @Test func `an upload to a server that reads as fast as it can holds up another exchange for at most 50 ms`()
    async throws
  {
    let listener = try LoopbackListener()
    listener.start { descriptor in
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
    }
    defer { listener.stop() }
    let (client, control) = (Client(transport), ExchangeControl())
    let timer = TurnTimer(transport)
    let exchange = Task {
      await client.failure(
        "http://127.0.0.1:\(listener.port)/", method: .post, body: .bytes(Data(count: 256 << 20)),
        control: control)
    }
    try await timer.checkNeighbour(on: transport)
    control.cancel(LupineError(.cancelled, "Enough."))
    #expect(await exchange.value != nil)
    await transport.shutdown()
  }
}
