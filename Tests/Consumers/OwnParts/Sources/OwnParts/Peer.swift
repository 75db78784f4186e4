import Lupine
import LupineTesting

/// The other side of a transport under check, where there is nothing to be asked.
struct OwnPeer: ConformancePeer {
  let url = "https://example.com"
  let requests: [PeerRequest] = []
  let connectionCount: Int? = nil

  func prepare(for request: OutgoingRequest) {}

  func waitForOpenConnections(_ count: Int) async throws {}

  func stop() {}
}
