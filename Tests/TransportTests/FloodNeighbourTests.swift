import LupineCore
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Exchanges on a transport that is flooded by several other peers at the same time.
@Suite(.overEachTransport, .serialized, .timeLimit(.minutes(1))) struct FloodNeighbourTests {
  /// The floods of two peers that send at the same time.
  static let pairs: [[FloodPeer.Kind]] = [
    [.unknown, .unknown], [.emptyData, .ping], [.priority, .windowUpdate], [.smallData, .priority],
    [.smallData, .smallData], [.smallChunks, .smallChunks],
  ]

  private let client = Client.trusting()

  private func begin(
    _ peer: FloodPeer, _ version: ProtocolVersion, _ control: ExchangeControl = ExchangeControl()
  ) throws -> Task<BodyEnd, any Error> {
    var client = client
    client.connectionKey = try peer.connectionKey
    var request = try OutgoingRequest(url: HTTPURL(peer.url))
    request.options.version = version
    return Task { [client, request] in
      try await client.transport.send(request, in: client.context(control: control)).body.end()
    }
  }

  @Test(arguments: pairs, FloodPeer.Line.allCases)
  func `two peers that flood at once fail no exchange with a third, and both end`(
    kinds: [FloodPeer.Kind], line: FloodPeer.Line
  ) async throws {
    let version = kinds[0].version
    let steady = try FloodPeer(.steady, over: line)
    let innocent = try begin(steady, version)
    try await steady.isFlooding.opened()
    let peers = try kinds.map { try FloodPeer($0, over: line) }
    let controls = kinds.map { _ in ExchangeControl() }
    let floods = try zip(peers, controls).map { try begin($0, version, $1) }
    for peer in peers { try await peer.isFlooding.opened() }
    let began = await client.transport.loopTime
    for (kind, control) in zip(kinds, controls) where kind.isBody {
      control.cancel(LupineError(.cancelled, "Enough."))
    }
    for flood in floods {
      let error = await #expect(throws: LupineError.self) { try await flood.value }
      #expect([.malformedResponse, .cancelled].contains(error?.kind), "\(String(describing: error))")
    }
    #expect(await client.transport.loopTime - began < FloodTests.bound)
    steady.finish()
    #expect(try await innocent.value.data.last == UInt8(ascii: "z"))
    await client.transport.shutdown()
  }
}
