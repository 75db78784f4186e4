// The code of the tutorial "The first request".

import Lupine
import LupineMock
import LupineTesting
import Testing

/// Asks httpbin to repeat a greeting.
struct Greeter: Sendable {
  /// The answer of httpbin: the parameters that it has received.
  struct Answer: Codable, Sendable {
    var args: [String: String]
  }

  var session = Session.default

  func greet(_ name: String) async throws(LupineError) -> String {
    let answer = try await session.request("https://httpbin.org/get", parameters: ["greeting": "hello \(name)"])
      .validate().serializingDecodable(Answer.self).value
    return answer.args["greeting"] ?? "no greeting"
  }
}

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
