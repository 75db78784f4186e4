import Lupine
import LupineMock
import Testing

/// A program's requests over the mock.
@Suite struct OfflineTests {
  struct User: Codable, Equatable, Sendable {
    var name: String
  }

  @Test func `the same code runs offline`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
    mock.stub(.post, "https://api.example.com/v1/users") { request in .status(.created) }
    let offline = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    let mattt = try await offline.request("https://api.example.com/v1/users/42").serializingDecodable(User.self).value
    _ = await offline.request("https://api.example.com/v1/users", method: .post).serializingData().response
    #expect(mattt == User(name: "mattt"))
    #expect(mock.requests.count == 2)
    try mock.verify()  // every stub was used, and no request was unexpected
  }

  @Test func `a request without a stub is an error, which verify repeats`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
    let offline = try Session.Builder().transport(mock).build()
    let error = await offline.request("https://api.example.com/v1/groups/42").serializingData().response.error
    #expect(error?.kind == .unmatchedRequest)
    #expect(error?.message.contains("users") == true)
    #expect(throws: (any Error).self) { try mock.verify() }
  }

  @Test func `a retry waits on the clock of the session`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://api.example.com/v1/flowers", .sequence([.status(.serviceUnavailable), .text("lupine")]))
    let offline = try Session.Builder().transport(mock).clock(ImmediateClock()).retrier(.backoff(limit: 3)).build()
    let flower = try await offline.request("https://api.example.com/v1/flowers").validate().serializingString().value
    #expect(flower == "lupine")
    #expect(mock.requests.map(\.attempt) == [1, 2])
  }
}
