// A transport that an environment variable selects; the other code does not change.

import FoundationEssentials
import Lupine
import LupineMock

struct Status: Codable, Sendable {
  var isUp: Bool
}

/// The transport that the environment selects: `MY_TRANSPORT=mock` runs the program without a network.
func transport(for environment: [String: String]) -> any Transport {
  guard environment["MY_TRANSPORT"] == "mock" else { return .native }
  let mock = MockTransport()
  mock.stub(.get, "/v1/status", .json(Status(isUp: true)))
  return mock
}

func session(in environment: [String: String]) throws -> Session {
  try Session.Builder()
    .transport(transport(for: environment))
    .baseURL(environment["MY_SERVICE"] ?? "https://api.example.com/v1")
    .timeouts(idle: .seconds(10), total: .seconds(30))
    .retrier(.backoff(limit: 3))
    .build()
}
// snippet.hide
// An example makes no request to a public host.
let environment = ["MY_TRANSPORT": "mock"].merging(ProcessInfo.processInfo.environment) { first, _ in first }
// snippet.show

let status = try await session(in: environment).request("status")
  .validate().serializingDecodable(Status.self).value
print(status.isUp ? "up" : "down")
