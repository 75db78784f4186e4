// Test traits: each test gets its own mock or simulation.

import Lupine
import LupineMock
import LupineTesting
import Testing

// snippet.hide
struct User: Codable, Sendable {
  var name: String
}

// snippet.show
@Test(.mock) func `a user is decoded`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
  let session = try Session.Builder().transport(mock).build()
  let user = try await session.request("https://api.example.com/v1/users/42").serializingDecodable(User.self).value
  #expect(user.name == "mattt")
}
