import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

@testable import LupineAuthentication

@Suite struct OAuthAuthenticatorTests {
  @Test func `the client's credentials buy the first token, once, before the first request`() async throws {
    let mock = OAuthService.mock([OAuthService.token(1)])
    let client = try OAuthService.client()
    let session = try OAuthService.session(mock) { $0.install(.oauth(client, requesting: "read write")) }
    for _ in 1...2 { #expect(try await session.request(OAuthService.api).serializingString().value == "users") }
    let asked = try #require(OAuthService.tokenRequests(mock).first)
    #expect(OAuthService.tokenRequests(mock).count == 1)
    #expect(asked.text == "grant_type=client_credentials&scope=read+write")
    #expect(asked.headers[.contentType] == "application/x-www-form-urlencoded")
    // The Base64 form of `my+client:s%26cret`: name and secret are form-encoded first (RFC 6749 section 2.3.1).
    #expect(asked.headers[.authorization] == "Basic bXkrY2xpZW50OnMlMjZjcmV0")
    #expect(
      mock.requests.filter { $0.method == .get }.map { $0.headers[.authorization] } == ["Bearer t1", "Bearer t1"])
  }

  @Test func `a token that expires is renewed with its refresh token, which may be replaced`() async throws {
    let mock = OAuthService.mock([OAuthService.token(2, refresh: "r2"), OAuthService.token(3)])
    let clock = ImmediateClock()
    let stored = Mutex<[String?]>([])
    let first = OAuthToken(accessToken: "t1", refreshToken: "r1", expires: clock.date.addingTimeInterval(3_600))
    let client = try OAuthService.client()
    let store: @Sendable (OAuthToken) async -> Void = { token in stored.withLock { $0.append(token.refreshToken) } }
    let session = try OAuthService.session(mock, clock) {
      $0.install(.oauth(client, renewing: first, onRenewal: store))
    }
    for _ in 1...3 {
      _ = try await session.request(OAuthService.api).serializingString().value
      try await clock.sleep(for: .seconds(3_580))
    }
    #expect(
      mock.requests.filter { $0.method == .get }.map { $0.headers[.authorization] }
        == ["Bearer t1", "Bearer t2", "Bearer t3"])
    #expect(
      OAuthService.tokenRequests(mock).map(\.text) == [
        "grant_type=refresh_token&refresh_token=r1", "grant_type=refresh_token&refresh_token=r2",
      ])
    #expect(stored.withLock { $0 } == ["r2", "r2"])
  }

  @Test(arguments: [nil, OAuthToken(accessToken: "other")])
  func `the token of a login that is over is not stored`(next: OAuthToken?) async throws {
    try await withSimulation { world in
      let mock = OAuthService.mock([OAuthService.token(2).delay(.seconds(5))])
      let stored = Mutex<[String]>([])
      let old = OAuthToken(accessToken: "t1", refreshToken: "r1", expires: .distantPast)
      let interceptor: AuthenticationInterceptor<OAuthAuthenticator> = .oauth(
        try OAuthService.client(), renewing: old,
        onRenewal: { token in stored.withLock { $0.append(token.accessToken) } })
      let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").install(interceptor)
        .build()
      async let response = session.request(OAuthService.api).serializingString().response
      try await world.sleep(for: .seconds(1))
      interceptor.credential = next
      let error = await response.error
      try world.expect(error?.kind == (next == nil ? .missingCredential : nil), "\(String(describing: error))")
      try await world.sleep(for: .seconds(10))
      try world.expect(stored.withLock { $0 }.isEmpty, "the old login's token was stored")
    }
  }

  @Test func `a refused token is renewed, and the request sent again`() async throws {
    let mock = MockTransport()
    mock.stub(.post, OAuthService.tokenURL, OAuthService.token(2))
    mock.stub(.get, OAuthService.api, .challenge("Bearer error=\"invalid_token\""))
    mock.stub(.get, OAuthService.api, where: [.field(.authorization, "Bearer t2")], .text("users"))
    let client = try OAuthService.client()
    let session = try OAuthService.session(mock) {
      $0.install(.oauth(client, renewing: OAuthToken(accessToken: "t1", refreshToken: "r1")))
    }
    #expect(try await session.request(OAuthService.api).validate().serializingString().value == "users")
    #expect(OAuthService.tokenRequests(mock).count == 1)
  }

  @Test func `an expired token without a refresh token is an error that names the reason`() async throws {
    let mock = OAuthService.mock([OAuthService.token(2)])
    let client = try OAuthService.client()
    let session = try OAuthService.session(mock) {
      $0.install(.oauth(client, renewing: OAuthToken(accessToken: "t1", expires: .distantPast)))
    }
    let error = await session.request(OAuthService.api).serializingString().response.error
    #expect(error?.message.contains("log in again") == true)
    #expect(mock.requests.isEmpty)
  }
}
