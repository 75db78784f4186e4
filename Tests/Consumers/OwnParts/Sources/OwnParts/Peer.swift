import Lupine
import LupineTesting

/// A peer for the conformance kit that records nothing; it shows that a program can implement the protocol.
struct OwnPeer: ConformancePeer {
  let url = "https://example.com"
  let requests: [PeerRequest] = []
  let connectionCount: Int? = nil

  func prepare(for request: OutgoingRequest) {}

  func waitForOpenConnections(_ count: Int) async throws {}

  func stop() {}
}
