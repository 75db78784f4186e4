import LupineCore
import LupineFixtures
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Many peers that flood one loop at the same time, each with a flow of records that nothing ends.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ManyFloodsTests {
  private static let count = 30

  /// Floods of small content, and of handshakes that do not end.
  @Test(arguments: ["content of one byte, TLS 1.3", "change of cipher in the handshake, TLS 1.3"])
  func `thirty peers that flood at once hold up no other exchange`(name: String) async throws {
    let flood = try #require(RecordFlood.all.first { $0.description == name })
    let client = Client(Client.native(loops: 1, Self.trusting).transport)
    let peers = try (1...Self.count).map { _ in try RecordPeer(flood) }
    let controls = peers.map { _ in ExchangeControl() }
    let timer = TurnTimer(client.transport)
    let exchanges = try zip(peers, controls).map { peer, control in
      var request = try OutgoingRequest(url: HTTPURL(peer.url))
      request.options.version = .http1_1
      let context = client.context(control: control, sink: .discard(limit: .max))
      return Task { [request, transport = client.transport] in
        _ = try? await transport.send(request, in: context).body.end()
      }
    }
    for peer in peers { try await peer.isFlooding.opened() }
    try await timer.checkNeighbour(on: client.transport)
    for control in controls { control.cancel(LupineError(.cancelled, "Enough.")) }
    for exchange in exchanges { await exchange.value }
    for peer in peers { peer.stop() }
    await client.transport.shutdown()
  }

  private static var trusting: NetworkSettings {
    var network = NetworkSettings()
    network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    network.connectionsPerHost = 200
    return network
  }
}
