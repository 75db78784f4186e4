// Reachability: the status of the network, and a retry that waits for the network.

import Lupine
import LupineMock

// snippet.hide
let mock = MockTransport()
mock.stub(.get, "https://api.example.com/v1/users/42", .sequence([.failure(.networkUnreachable), .text("mattt")]))
// snippet.show
let manager = NetworkReachabilityManager.default
for await status in manager.statuses {
  print(status, manager.path.interfaces.map(\.name))
  break
}

// A simulated network: offline at first, and available while the request waits.
let path = ScriptedPath(.offline)
let session = try Session.Builder()
  .transport(mock)
  .retrier(OfflineRetrier(source: path))
  .retrier(.backoff(limit: 3))
  .build()
async let user = session.request("https://api.example.com/v1/users/42").serializingString().value
await path.waitForWatchers()  // the request has failed, and waits for a network
path.set(.wifi)
print(try await user)
