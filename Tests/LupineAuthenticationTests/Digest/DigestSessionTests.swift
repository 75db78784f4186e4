import HTTPTypes
import LupineAuthentication
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct DigestSessionTests {
  private static let challenge = "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

  /// A server that accepts these nonces, and responds to credentials with any other nonce with the challenge `refusal`.
  private static func mock(
    accepting nonces: [String] = ["n1"], refusal: String = challenge, fields: HTTPFields = [:]
  ) -> MockTransport {
    let mock = MockTransport()
    for method in [HTTPRequest.Method.get, .post] {
      mock.stub([method], "/{any...}") { request in
        let sent = Sample.parameters(request.headers[.authorization])
        guard let nonce = sent["nonce"], nonces.contains(nonce), sent["uri"] == request.url.requestTarget else {
          return .challenge(sent.isEmpty ? challenge : refusal)
        }
        return fields.reduce(MockReply.text("welcome")) { $0.field($1.name, $1.value) }
      }
    }
    return mock
  }

  private static func get(_ session: Session, _ url: String = Sample.url) async -> DataResponse<String> {
    await session.request(url).authenticate(with: Sample.mufasa).serializingString().response
  }

  @Test func `a challenge is answered, and the next request needs none`() async throws {
    let mock = Self.mock()
    let session = try Sample.session(mock)
    #expect(await Self.get(session).value == "welcome")
    #expect(await Self.get(session, "https://api.example.com/other?x=1").value == "welcome")
    let counts = mock.requests.map { Sample.parameters($0.headers[.authorization])["nc"] }
    #expect(counts == [nil, "00000001", "00000002"])
  }

  @Test func `a wrong password ends with the 401 after one answer`() async throws {
    let mock = Self.mock(accepting: [])
    #expect(await Self.get(try Sample.session(mock)).response?.status == .unauthorized)
    #expect(mock.requests.count == 2)
  }

  @Test func `a server that marks every nonce as stale gets exactly two answers`() async throws {
    let mock = Self.mock(accepting: [], refusal: "Digest realm=\"r\", nonce=\"n2\", qop=\"auth\", stale=true")
    #expect(await Self.get(try Sample.session(mock)).response?.status == .unauthorized)
    #expect(mock.requests.count == 3)
  }

  @Test func `a stale nonce is replaced and the credential given again`() async throws {
    let mock = Self.mock(accepting: ["n2"], refusal: "Digest realm=\"r\", nonce=\"n2\", qop=\"auth\", stale=true")
    let session = try Sample.session(mock)
    #expect(await Self.get(session).value == "welcome")
    #expect(await Self.get(session).value == "welcome")
    let sent = mock.requests.map { Sample.parameters($0.headers[.authorization]) }
    #expect(sent.map { $0["nonce"] } == [nil, "n1", "n2", "n2"])
    #expect(sent.map { $0["nc"] } == [nil, "00000001", "00000001", "00000002"])
  }

  @Test func `the nonce that the server names next is used next`() async throws {
    let mock = Self.mock(accepting: ["n1", "n2"], fields: [.authenticationInfo: "nextnonce=\"n2\""])
    let session = try Sample.session(mock)
    for _ in 1...3 { #expect(await Self.get(session).value == "welcome") }
    let sent = mock.requests.map { Sample.parameters($0.headers[.authorization]) }
    #expect(sent.map { $0["nonce"] } == [nil, "n1", "n2", "n2"])
    #expect(sent.map { $0["nc"] } == [nil, "00000001", "00000001", "00000002"])
  }

  @Test func `a redirect gets an answer for its own target`() async throws {
    let mock = Self.mock()
    mock.stub(.get, "/start", where: [.field(.authorization)], priority: 1, .redirect(to: "/end?a=b"))
    let response = await Self.get(try Sample.session(mock), "https://api.example.com/start")
    #expect(response.value == "welcome")
    #expect(mock.requests.map { Sample.parameters($0.headers[.authorization])["uri"] } == [nil, "/start", "/end?a=b"])
  }

  @Test func `the strongest of the offered challenges is answered`() async throws {
    let mock = MockTransport()
    let offered =
      ["Basic realm=\"r\""]
      + ["MD5", "SHA-512-256", "SHA-256"].map { "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\($0)" }
    mock.stub(.get, "/{any...}", .challenge(offered.joined(separator: ", ")))
    _ = await Self.get(try Sample.session(mock))
    #expect(Sample.parameters(mock.requests.last?.headers[.authorization])["algorithm"] == "SHA-512-256")
  }

  @Test func `Basic answers if the algorithm of the Digest challenge is unknown`() async throws {
    let mock = MockTransport()
    mock.stub(
      .get, "/{any...}", .challenge("Digest realm=\"r\", nonce=\"n\", algorithm=SHA3, Basic realm=\"r\""))
    _ = await Self.get(try Sample.session(mock))
    #expect(mock.requests.last?.headers[.authorization]?.hasPrefix("Basic ") == true)
  }

  @Test func `a body is sent again with the answer`() async throws {
    let mock = Self.mock()
    let request = try OutgoingRequest(Sample.url, method: .post, body: .text("content"))
    let response = await (try Sample.session(mock)).request(request).authenticate(with: Sample.mufasa)
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(mock.requests.map(\.text) == ["content", "content"])
  }
}
