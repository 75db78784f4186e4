import HTTPTypes
import LupineCookies
import LupineCore
import LupineIDN
import LupineMock
import LupineOpenSSL
import LupineSession
import LupineTesting
import Testing
import TransportSupport

@Suite struct ConvertedHostTests {
  @Test(.overEachTransport)
  func `a request to such a name dials, names and stores cookies for its ASCII form`() async throws {
    let server = try ScriptedServer(sequence: [
      .respond(fields: ["Set-Cookie": "a=1"], body: .text("one")), .respond(body: .text("two")),
    ])
    try await HostNames.withConverter(.idna) { () async throws in
      let session = try Session.Builder().transport(TestTransport.make()).resolve("müller.example", to: "127.0.0.1")
        .install(.cookies).build()
      for text in ["one", "two"] {
        let url = "http://MÜLLER.example:\(server.port)/straße"
        #expect(try await session.request(url).serializingString().value == text)
      }
      #expect(server.requests.map(\.target) == ["/stra%C3%9Fe", "/stra%C3%9Fe"])
      #expect(
        server.requests.map { $0.fields["Host"] }
          == Array(repeating: "xn--mller-kva.example:\(server.port)", count: 2))
      #expect(server.requests.last?.fields["Cookie"] == "a=1")
      #expect(server.connectionCount == 1)
      await session.shutdown()
    }
  }

  @Test(.overEachTransport)
  func `a policy sees the address that such digits name`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("one")))
    try await HostNames.withConverter(.idna) { () async throws in
      let session = try? Session.Builder().transport(TestTransport.make()).networkPolicy(.publicInternetOnly).build()
      let response = await session?.request("http://１２７.０.０.１:\(server.port)/").serializingString().response
      #expect(response?.error?.kind == .addressRefused)
      #expect(server.connectionCount == 0)
      await session?.shutdown()
    }
  }

  @Test func `the mock, base URLs, stubs and patterns use the ASCII form`() async throws {
    try await HostNames.withConverter(.idna) { () async throws in
      let mock = MockTransport()
      mock.stub(.get, "https://müller.example/v1/straße", .text("found"))
      let pin: [String: any TrustEvaluator] = ["*.müller.example": .refuse]
      let session = try Session.Builder().transport(mock).baseURL("https://müller.example/v1").trust(pin).build()
      #expect(try await session.request("straße").serializingString().value == "found")
      #expect(mock.requests.first?.url.host == "xn--mller-kva.example")
      #expect(throws: LupineError.self) {
        try Session.Builder().transport(mock).trust(pin.merging(["*.xn--mller-kva.example": .refuse]) { $1 }).build()
      }
    }
  }

  @Test func `a redirect to another spelling of a name keeps the credential`() async throws {
    try await HostNames.withConverter(.idna) { () async throws in
      let mock = MockTransport()
      mock.stub(.get, "https://müller.example/a", .redirect(to: "https://xn--mller-kva.example/b"))
      mock.stub(.get, "https://xn--mller-kva.example/b", .text("b"))
      let session = try Session.Builder().transport(mock).build()
      let text = try await session.request("https://müller.example/a", headers: [.authorization(bearerToken: "t")])
        .serializingString().value
      #expect(text == "b")
      #expect(mock.requests.last?.headers[.authorization] == "Bearer t")
    }
  }
}
