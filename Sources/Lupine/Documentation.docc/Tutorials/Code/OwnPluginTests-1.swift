import Lupine
import LupineMock
import LupineTesting
import Testing

@testable import Demo

@Test(.mock) func `requests are numbered from 1`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "https://api.example.com/users", .json(["ada"]))
  let session = try Session.Builder().transport(mock).install(.requestNumbers).build()
  for _ in 1...2 { _ = try await session.request("https://api.example.com/users").serializingData().value }
  #expect(mock.requests.map { $0.headers["X-Request-Number"] } == ["1", "2"])
}
