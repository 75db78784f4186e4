import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Synchronization
import Testing

@testable import LupineAuthentication

@Suite struct OAuthAuthenticatorTests {
  private static let tokenURL = "https://auth.example.com/token"
  private static let api = "https://api.example.com/users"

  private static func client(_ secret: String? = "s&cret", _ proof: OAuthClient.Proof = .header) throws -> OAuthClient {
    try OAuthClient(tokenURL: tokenURL, identifier: "my client", secret: secret, proof: proof)
  }

  private static func token(_ number: Int, expiresIn: Int? = 3_600, refresh: String? = nil) -> MockReply {
    let life = expiresIn.map { ", \"expires_in\": \($0)" } ?? ""
    let renewal = refresh.map { ", \"refresh_token\": \"\($0)\"" } ?? ""
    return .text("{\"access_token\": \"t\(number)\", \"token_type\": \"bearer\"\(life)\(renewal)}")
  }

  private static func session(
    _ mock: MockTransport, _ date: SettableDate = SettableDate(),
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> Session {
    try change(
      Session.Builder().transport(mock).clock(ImmediateClock()).now { date.value }.baseURL("https://api.example.com")
    ).build()
  }

  /// An authorization server and a service that takes its tokens.
  private static func mock(_ replies: [MockReply]) -> MockTransport {
    let mock = MockTransport()
    mock.stub(.post, tokenURL, .sequence(replies))
    mock.stub(.get, api, .text("users"))
    return mock
  }

  private static func tokenRequests(_ mock: MockTransport) -> [RecordedRequest] {
    mock.requests.filter { $0.url.string == tokenURL }
  }

  @Test func `the client's credentials buy the first token, once, before the first request`() async throws {
    let mock = Self.mock([Self.token(1)])
    let client = try Self.client()
    let session = try Self.session(mock) { $0.install(.oauth(client, requesting: "read write")) }
    for _ in 1...2 { #expect(try await session.request(Self.api).serializingString().value == "users") }
    let asked = try #require(Self.tokenRequests(mock).first)
    #expect(Self.tokenRequests(mock).count == 1)
    #expect(asked.text == "grant_type=client_credentials&scope=read+write")
    #expect(asked.headers[.contentType] == "application/x-www-form-urlencoded")
    // `my+client:s%26cret`: both are encoded as in a form first (RFC 6749 section 2.3.1).
    #expect(asked.headers[.authorization] == "Basic bXkrY2xpZW50OnMlMjZjcmV0")
    #expect(
      mock.requests.filter { $0.method == .get }.map { $0.headers[.authorization] } == ["Bearer t1", "Bearer t1"])
  }

  @Test func `a token that expires is renewed with its refresh token, which may be replaced`() async throws {
    let mock = Self.mock([Self.token(2, refresh: "r2"), Self.token(3)])
    let date = SettableDate()
    let stored = Mutex<[String?]>([])
    let first = OAuthToken(accessToken: "t1", refreshToken: "r1", expires: date.value.addingTimeInterval(3_600))
    let client = try Self.client()
    let store: @Sendable (OAuthToken) async -> Void = { token in stored.withLock { $0.append(token.refreshToken) } }
    let session = try Self.session(mock, date) { $0.install(.oauth(client, renewing: first, onRenewal: store)) }
    for _ in 1...3 {
      _ = try await session.request(Self.api).serializingString().value
      date.advance(3_580)
    }
    #expect(
      mock.requests.filter { $0.method == .get }.map { $0.headers[.authorization] }
        == ["Bearer t1", "Bearer t2", "Bearer t3"])
    #expect(
      Self.tokenRequests(mock).map(\.text) == [
        "grant_type=refresh_token&refresh_token=r1", "grant_type=refresh_token&refresh_token=r2",
      ])
    #expect(stored.withLock { $0 } == ["r2", "r2"])
  }

  @Test func `a refused token is renewed, and the request sent again`() async throws {
    let mock = MockTransport()
    mock.stub(.post, Self.tokenURL, Self.token(2))
    mock.stub(.get, Self.api, .challenge("Bearer error=\"invalid_token\""))
    mock.stub(.get, Self.api, where: [.field(.authorization, "Bearer t2")], .text("users"))
    let client = try Self.client()
    let session = try Self.session(mock) {
      $0.install(.oauth(client, renewing: OAuthToken(accessToken: "t1", refreshToken: "r1")))
    }
    #expect(try await session.request(Self.api).validate().serializingString().value == "users")
    #expect(Self.tokenRequests(mock).count == 1)
  }

  @Test func `without a refresh token an expired one is an error that says so`() async throws {
    let mock = Self.mock([Self.token(2)])
    let client = try Self.client()
    let session = try Self.session(mock) {
      $0.install(.oauth(client, renewing: OAuthToken(accessToken: "t1", expires: .distantPast)))
    }
    let error = await session.request(Self.api).serializingString().response.error
    #expect(error?.message.contains("log in again") == true)
    #expect(mock.requests.isEmpty)
  }
}
