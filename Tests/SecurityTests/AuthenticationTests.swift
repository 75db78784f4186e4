import FoundationEssentials
import Lupine
import LupineMock
import LupineTesting
import Testing

@Suite struct AuthenticationTests {
  private static let credential = Credential(username: "mufasa", password: "circle of life")

  /// Makes a mock with two origins, each of which sends a challenge.
  private static func mock(_ challenge: String) -> MockTransport {
    let mock = MockTransport()
    for host in ["a", "b"] {
      mock.stub(.get, "https://\(host).example.com/{any...}", .challenge(challenge))
      mock.stub(
        .get, "https://\(host).example.com/{any...}", where: [.field(.authorization)], count: .optional, .text("in"))
    }
    return mock
  }

  private static func session(_ mock: MockTransport) throws -> Session {
    try Session.Builder().transport(mock).clock(ImmediateClock()).install(.authentication).build()
  }

  private static let challenges = [
    "Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256",
  ]

  @Test(arguments: challenges)
  func `a credential that one origin accepted is not sent to another`(challenge: String) async throws {
    let mock = Self.mock(challenge)
    let session = try Self.session(mock)
    for host in ["a", "a", "b"] {
      _ = await session.request("https://\(host).example.com/").authenticate(with: Self.credential)
        .serializingData().response
    }
    let isSent = mock.requests.map { "\($0.url.host.prefix(1)) \($0.headers[.authorization] != nil)" }
    // An origin that accepted Digest receives it again without a challenge; a server receives Basic only after one.
    let again = challenge.hasPrefix("Digest") ? ["a true"] : ["a false", "a true"]
    #expect(isSent == ["a false", "a true"] + again + ["b false", "b true"])
  }

  @Test(arguments: challenges)
  func `a challenge behind a redirect to another origin gets no credential`(challenge: String) async throws {
    let mock = Self.mock(challenge)
    mock.stub(.get, "https://a.example.com/start", priority: 1, .redirect(to: "https://b.example.com/"))
    let asked = Journal()
    let session = try Session.Builder().transport(mock).install(.authentication).monitor(asked)
      .onChallenge { _ in Self.credential }.build()
    let response = await session.request("https://a.example.com/start").authenticate(with: Self.credential)
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(mock.requests.allSatisfy { $0.headers[.authorization] == nil })
    #expect(asked.text.contains("a redirect led to another origin"))
  }

  @Test(arguments: challenges)
  func `an answer does not follow a redirect to another origin`(challenge: String) async throws {
    let mock = Self.mock(challenge)
    mock.stub(
      .get, "https://a.example.com/start", where: [.field(.authorization)], priority: 1,
      .redirect(to: "https://b.example.com/"))
    _ = await (try Self.session(mock)).request("https://a.example.com/start").authenticate(with: Self.credential)
      .serializingData().response
    #expect(mock.requests.last?.url.host == "b.example.com")
    #expect(mock.requests.last?.headers[.authorization] == nil)
  }

  @Test(arguments: InjectionTests.controlsAndTab)
  func `a credential with a control byte is refused before it is sent`(control: String) async throws {
    for challenge in Self.challenges {
      for credential in [
        Credential(username: "u\(control)", password: "p"), Credential(username: "u", password: "p\(control)"),
      ] {
        let mock = Self.mock(challenge)
        let response = await (try Self.session(mock)).request("https://a.example.com/").authenticate(with: credential)
          .serializingData().response
        #expect(response.error?.kind == .invalidRequest)
        #expect(mock.requests.count == 1)
      }
    }
  }

  @Test(arguments: challenges)
  func `no text shows an answer or a password`(challenge: String) async throws {
    let mock = Self.mock(challenge)
    let journal = Journal()
    let session = try Session.Builder().transport(mock).install(.authentication).monitor(journal).build()
    let request = session.request("https://a.example.com/").authenticate(with: Self.credential)
    _ = await request.serializingData().response
    let text = journal.text + request.debugDescription + String(reflecting: request)
    for secret in ["circle of life", "bXVmYXNhOmNpcmNsZSBvZiBsaWZl", "response="] { #expect(!text.contains(secret)) }
  }
}
