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

@Test(.mock) func `a user is read again after 503`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "/users/42", .sequence([.status(.serviceUnavailable), .json(User(name: "mattt"))]))
  let session = try Session.Builder().transport(mock).clock(ImmediateClock()).retrier(.backoff(limit: 3)).build()
  let user = try await session.request("https://api.example.com/users/42").serializingDecodable(User.self).value
  #expect(user.name == "mattt")
  #expect(mock.requests.count == 2)
}

@Test(.cassette("users")) func `users are decoded`() async throws {
  let session = try Session.Builder().transport(.native).baseURL("https://api.example.com").build()
  let users = try await session.request("users").serializingDecodable([User].self).value
  #expect(users.count == 3)
}

@Test(.exploring) func `a balance is complete under every fault`() async throws {
  try await Simulation.explore(seeds: 0..<100) { world in
    let mock = MockTransport()
    mock.stub(.get, "/balance", .json(["amount": 10]))
    let session = try Session.Builder().transport(mock).retrier(.backoff(limit: 9)).build()
    let balance = try? await session.request("https://bank.example.com/balance").serializingJSON().value
    #expect(balance?["amount"]?.int == 10)
  }
}
