import LupineCore
import LupineFixtures
import LupineNative
import LupineTesting
import TrustSupport

/// The peer of a conformance check behind a server with TLS, over HTTP/1.1.
struct SecuredPeer: ConformancePeer {
  /// The checks that apply to a connection with TLS, which is always made.
  static let checks = ConformanceKit.checks(for: NativeTransport()).filter { check in
    check.needs.isDisjoint(with: [.http2, .unixSockets]) && !unsuitable.contains { check.name.contains($0) }
  }

  private static let unsuitable = [
    "connectionRefused", "connectionStalled", "metrics report times",
    // Their names are in no certificate.
    "session's resolver", "resolvers of sessions",
  ]

  static let subject = ConformanceSubject("The native transport over TLS", peer: SecuredPeer.make) {
    var configuration = NativeTransport.Configuration()
    configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    return NativeTransport(configuration)
  }

  private let peer: any ConformancePeer
  private let relay: TLSRelay

  /// Returns the peer itself if its fault needs no server.
  private static func make(for transport: any Transport, playing script: PeerScript) throws -> any ConformancePeer {
    let peer = try ConformanceSubject.peer(for: transport, playing: script)
    let place = "http://127.0.0.1:"
    guard peer.url.hasPrefix(place), let port = UInt16(peer.url.dropFirst(place.count)) else { return peer }
    return SecuredPeer(peer: peer, relay: try TLSRelay(to: port))
  }

  var url: String { "https://127.0.0.1:\(relay.port)" }
  var requests: [PeerRequest] { peer.requests }
  var connectionCount: Int? { peer.connectionCount }

  /// Returns after the relay has passed on all bytes that the peer has sent, so that none arrives after the request.
  func prepare(for request: OutgoingRequest) {
    relay.waitUntilIdle()
    peer.prepare(for: request)
  }

  func waitForOpenConnections(_ count: Int) async throws { try await peer.waitForOpenConnections(count) }

  func stop() {
    relay.stop()
    peer.stop()
  }
}
