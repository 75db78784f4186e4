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

@Test(.mock) func `a request can stay without a number`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "https://api.example.com/users", .json(["ada"]))
  let session = try Session.Builder().transport(mock).install(.requestNumbers).build()
  _ = try await session.request("https://api.example.com/users").option(Numbering.self, .off).serializingData().value
  #expect(mock.requests.map { $0.headers["X-Request-Number"] } == [nil])
}

@Test func `a field without a name is an issue`() {
  let builder = Session.Builder().transport(MockTransport()).install(RequestNumbers(field: "two words"))
  let error = #expect(throws: LupineError.self) { try builder.build() }
  #expect(error?.message.contains("two words") == true)
}
