import Lupine
import LupineMock
import LupineTesting
import Testing

@testable import Demo

@Test(.mock) func `a greeting comes back`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(
    .get, "https://httpbin.org/get", where: [.query("greeting", "hello Ada")],
    .json(Greeter.Answer(args: ["greeting": "hello Ada"])))
  let session = try Session.Builder().transport(mock).build()
  #expect(try await Greeter(session: session).greet("Ada") == "hello Ada")
}

@Test(.mock) func `a refusal is an error`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "https://httpbin.org/get", .status(.serviceUnavailable))
  let session = try Session.Builder().transport(mock).build()
  let error = await #expect(throws: LupineError.self) { try await Greeter(session: session).greet("Ada") }
  #expect(error?.kind == .unacceptableStatusCode(503))
}

@Test(.mock) func `a server that recovers is asked again`() async throws {
  let mock = try #require(MockTransport.current)
  let greeting = Greeter.Answer(args: ["greeting": "hello Ada"])
  mock.stub(.get, "https://httpbin.org/get", .sequence([.status(.serviceUnavailable), .json(greeting)]))
  let session = try Session.Builder()
    .transport(mock)
    .clock(ImmediateClock())
    .retrier(.backoff(limit: 3))
    .build()
  #expect(try await Greeter(session: session).greet("Ada") == "hello Ada")
  #expect(mock.requests.count == 2)
}
