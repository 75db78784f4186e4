import LupineCore
import LupineFixtures
import LupineNative
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Peers that send frames of HTTP/2 without end, beside an exchange on another connection.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FrameFloodTests {
  /// The error of an exchange whose peer sends this flood after the request.
  private static func expected(_ kind: FloodPeer.Kind) -> LupineError.Kind {
    switch kind {
    // The first frame ends the stream; the connection is closed later.
    case .resets: .connectionLost
    case .bombs: .limitExceeded(.responseFields)
    case .interimBombs: .limitExceeded(.informationalResponses)
    default: .malformedResponse
    }
  }

  @Test(arguments: FloodPeer.Kind.frameFloods, [FloodPeer.Line.plain, .secured])
  func `a flood of frames ends its exchange and its connection, and holds up another exchange for at most 50 ms`(
    kind: FloodPeer.Kind, line: FloodPeer.Line
  ) async throws {
    var configuration = NativeTransport.Configuration()
    configuration.loops = 1
    configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    let transport = NativeTransport(configuration)
    let peer = try FloodPeer(kind, over: line)
    let timer = TurnTimer(transport)
    let exchange = Task { [client = Client(transport), url = peer.url] in
      await client.failure(url) { $0.options.version = .http2 }
    }
    try await peer.isFlooding.opened()
    try await timer.checkNeighbour(on: transport)
    let error = await exchange.value
    #expect(error?.kind == Self.expected(kind), "\(String(describing: error))")
    try await peer.isClosed.opened()
    #expect(try #require(await transport.connectionPool()).open <= 1)
    await transport.shutdown()
  }
}
