// The same code on a mock, offline.

import Lupine
import LupineMock

// snippet.hide
struct User: Codable, Sendable {
  var name: String
}

// snippet.show
let mock = MockTransport()
mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(["id": 42, "name": "mattt", "tags": ["staff", nil]]))
mock.stub(.post, "https://api.example.com/v1/users") { request in .status(.created) }
let offline = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
let mattt = try await offline.request("https://api.example.com/v1/users/42").serializingDecodable(User.self).value
_ = await offline.request("https://api.example.com/v1/users", method: .post).serializingData().response
try mock.verify()  // every stub was used, and no request was unexpected
// snippet.hide
print(mattt, mock.requests.count)
