import FoundationEssentials
@testable import LupineCoding
import LupineMock
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct TrustPolicyTests {
  @Test(arguments: [
    ("example.com", "example.com", true), ("example.com", "www.example.com", false),
    ("EXAMPLE.com", "example.com", true),
    ("*.example.com", "www.example.com", true), ("*.example.com", "example.com", false),
    ("*.example.com", "a.b.example.com", false), ("*.example.com", "evilexample.com", false),
    ("127.0.0.1", "127.0.0.1", true), ("::1", "::1", true), ("*.example.com", ".example.com", false),
  ])
  func `a pattern matches its host`(pattern: String, host: String, matches: Bool) throws {
    #expect(try #require(HostPattern(pattern)).matches(host, port: 443) == matches)
  }

  @Test(arguments: [
    "", "*", "*.", "*.com", "a.*.com", "*a.example.com", "example.com.", "exa mple.com", "https://x.org",
    "example.com/", "u@example.com", "**.example.com",
  ])
  func `an invalid pattern is refused`(pattern: String) {
    #expect(HostPattern(pattern) == nil)
  }

  @Test func `an exact name comes before a wildcard, and the fallback last`() throws {
    struct Named: TrustEvaluator {
      let name: String
      func evaluate(_ trust: ServerTrust) throws {}
    }
    let session = try TestBed().session {
      $0.trust(
        ["*.example.com": Named(name: "wild"), "www.example.com": Named(name: "exact")], otherwise: Named(name: "rest"))
    }
    let policy = try #require(session.configuration.trustPolicy)
    let names = try ["www.example.com", "www.example.com.", "api.example.com", "example.com"].map {
      (policy.evaluator(for: try HTTPURL("https://\($0)/")) as? Named)?.name
    }
    #expect(names == ["exact", "exact", "wild", "rest"])
  }

  @Test func `calls add up, the last evaluator of a pattern counts, and a fallback stays`() throws {
    struct Named: TrustEvaluator {
      let name: String
      func evaluate(_ trust: ServerTrust) throws {}
    }
    let session = try TestBed().session {
      $0.trust(["a.example.com": Named(name: "first")], otherwise: .refuse)
        .trust(["a.example.com": Named(name: "second"), "b.example.com": Named(name: "b")])
    }
    let policy = try #require(session.configuration.trustPolicy)
    #expect((policy.evaluator(for: try HTTPURL("https://a.example.com/")) as? Named)?.name == "second")
    #expect((policy.evaluator(for: try HTTPURL("https://b.example.com/")) as? Named)?.name == "b")
    #expect(policy.evaluator(for: try HTTPURL("https://c.example.com/")) is RefusingTrustEvaluator)
  }

  @Test(arguments: [
    ("API.example.com", "api.example.com"), ("[::1]", "::1"),
    ("*.Example.com:443", "*.example.com:443"),
  ])
  func `a pattern that is given again in another spelling is the same one`(first: String, second: String) throws {
    let builder = Session.Builder().transport(MockTransport())
    let session = try builder.trust([first: .custom { _ in }]).trust([second: .refuse]).build()
    let host = second.replacing("*.example.com:443", with: "www.example.com")
    let url = try HTTPURL("https://\(host == "::1" ? "[::1]" : host)/")
    #expect(session.configuration.trustPolicy?.evaluator(for: url) is RefusingTrustEvaluator)
    let error = #expect(throws: LupineError.self) {
      try builder.trust([first: .custom { _ in }, second: .refuse]).build()
    }
    guard case .configuration(let issues)? = error?.kind else {
      Issue.record("The builder took two evaluators for one pattern.")
      return
    }
    #expect(issues.map(\.part) == ["trust"])
    #expect(issues.first?.reason.contains(first) == true && issues.first?.reason.contains(second) == true)
  }

  @Test func `two policies are two identities`() throws {
    let builder = Session.Builder().transport(MockTransport()).trust(["a.example.com": .custom { _ in }])
    let first = try builder.build().configuration.connectionKey
    #expect(try builder.build().configuration.connectionKey != first)
    #expect(first.trustPolicy != nil)
  }

  @Test func `the evaluator judges what the host presents`() async throws {
    struct Refused: Error {}
    let bench = TestBed()
    bench.mock.presents(chain: [Data([1])], for: "a.example.com")
    bench.mock.presents(chain: [Data([2])], for: "b.example.com")
    let session = try bench.session {
      $0.trust(["*.example.com": .custom { trust in if trust.presentedChain != [Data([1])] { throw Refused() } }])
    }
    #expect(await session.request("https://a.example.com/").serializingData().response.error == nil)
    let error = await session.request("https://b.example.com/").serializingData().response.error
    #expect(error?.kind == .certificateRejected)
    #expect(error?.underlying is Refused)
  }
}
