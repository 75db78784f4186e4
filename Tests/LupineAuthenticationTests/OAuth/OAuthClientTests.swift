import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

@testable import LupineAuthentication

@Suite struct OAuthClientTests {
  @Test(
    arguments: [
      (
        OAuthClient.AuthenticationMethod.header, String?.none, "grant_type=client_credentials&client_id=my+client",
        false
      ),
      (.parameters, "s", "grant_type=client_credentials&client_id=my+client&client_secret=s", false),
      (.header, "s", "grant_type=client_credentials", true),
    ] as [(OAuthClient.AuthenticationMethod, String?, String, Bool)])
  func `a program proves who it is`(
    authenticationMethod: OAuthClient.AuthenticationMethod, secret: String?, body: String, hasField: Bool
  ) async throws {
    let mock = OAuthService.mock([OAuthService.token(1)])
    _ = try await OAuthService.client(secret, authenticationMethod).token(
      .clientCredentials(), for: OAuthService.session(mock))
    #expect(mock.requests.first?.text == body)
    #expect((mock.requests.first?.headers[.authorization] != nil) == hasField)
  }

  @Test func `a refusal carries the server's code, and nothing else of its words`() async throws {
    let words = "{\"error\": \"invalid_grant\", \"error_description\": \"r1 is wrong\"}"
    let mock = OAuthService.mock([
      .text(words, status: .badRequest), .text("{\"error\": \"r1 is wrong\"}", status: .badRequest),
    ])
    let session = try OAuthService.session(mock)
    for expected in [": invalid_grant.", "400."] {
      let error = await #expect(throws: LupineError.self) {
        _ = try await OAuthService.client().token(.refreshToken("r1"), for: session)
      }
      #expect(error?.kind == .unacceptableStatusCode(400))
      #expect(error?.message.hasSuffix(expected) == true)
      #expect(error?.message.contains("r1") == false)
    }
  }

  @Test(
    arguments: [
      (
        "\"error\": \"invalid_grant\", \"error_description\": \"The grant is over.\"",
        ": invalid_grant. The grant is over."
      ),
      (
        "\"error\": \"bad_verification_code\", \"access_token\": \"t\", \"token_type\": \"bearer\"",
        ": bad_verification_code."
      ),
      ("\"error\": {\"code\": 190}", "200."), ("\"error\": \"Not OK\"", "200."),
      ("\"error\": \"e\", \"error_description\": \"refresh-1234 is over\"", ": e."),
      ("\"error\": \"e\", \"error_description\": \"1234 is over\"", ": e."),
      ("\"error\": \"e\", \"error_description\": \"s&cret is wrong\"", ": e."),
      ("\"error\": \"e\", \"error_description\": \"it was abcdefgh12345678\"", ": e."),
      ("\"error\": \"e\", \"error_description\": \"a\\u001b[2J\"", ": e."),
      ("\"error\": \"e\", \"error_description\": 7", ": e."),
    ])
  func `a refusal with status 200 is an error with its code, and with its description if that repeats no secret`(
    members: String, end: String
  ) async throws {
    let session = try OAuthService.session(OAuthService.mock([.text("{\(members)}")]))
    let error = await #expect(throws: LupineError.self) {
      _ = try await OAuthService.client().token(.refreshToken("refresh-1234"), for: session)
    }
    #expect(error?.kind == .unacceptableStatusCode(200))
    #expect(error?.message.hasSuffix(end) == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      ("\"a b\"", "a b"), ("[\"a\", \"b\"]", "a b"), ("[]", ""), ("null", nil), ("7", nil), ("[7]", nil), ("{}", nil),
    ] as [(String, String?)])
  func `a scope may be a text or an array`(text: String, scope: String?) async throws {
    let answer = "{\"access_token\": \"t\", \"token_type\": \"bearer\", \"error\": null, \"scope\": \(text)}"
    let session = try OAuthService.session(OAuthService.mock([.text(answer)]))
    #expect(try await OAuthService.client().token(.clientCredentials(), for: session).scope == scope)
  }

  @Test(arguments: [
    ("<html><body>Log in</body></html>", ["Byte 0 (`<`)", "HTML", "`<html><body>Log in</body></html>`", "text/plain"]),
    ("access_token=gho_16C7e42F292c6912E7710c838347Ae178B4a&token_type=bearer", ["Byte 0 (`a`)", "71 bytes"]),
  ])
  func `an answer that is no JSON says so, and shows no token`(text: String, fragments: [String]) async throws {
    let session = try OAuthService.session(OAuthService.mock([.text(text)]))
    let error = await #expect(throws: LupineError.self) {
      _ = try await OAuthService.client().token(.clientCredentials(), for: session)
    }
    #expect(error?.kind == .serializationFailed)
    for fragment in fragments { #expect(error?.message.contains(fragment) == true, "\(error?.message ?? "")") }
    #expect(error?.message.contains("gho_") == false)
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"access_token\": \"\", \"token_type\": \"bearer\"}", "{\"access_token\": \"t\"}",
    "{\"access_token\": \"t\", \"token_type\": \"mac\"}", "{\"access_token\": \"a b\", \"token_type\": \"bearer\"}",
    "{\"access_token\": \"a\\r\\nX: y\", \"token_type\": \"bearer\"}",
    "{\"access_token\": 5, \"token_type\": \"bearer\"}",
  ])
  func `an answer that is no bearer token is an error`(text: String) async throws {
    let session = try OAuthService.session(OAuthService.mock([.text(text)]))
    let error = await #expect(throws: LupineError.self) {
      _ = try await OAuthService.client().token(.clientCredentials(), for: session)
    }
    #expect(error?.kind == .serializationFailed)
  }

  @Test(
    arguments: [
      ("10", 10.0), ("\"10\"", 10), ("0", nil), ("-5", nil), ("1e300", 1e9), ("null", nil),
    ] as [(String, Double?)])
  func `a life in seconds, however it is written`(text: String, seconds: Double?) async throws {
    let clock = ImmediateClock()
    let answer = "{\"access_token\": \"t\", \"token_type\": \"Bearer\", \"expires_in\": \(text)}"
    let session = try OAuthService.session(OAuthService.mock([.text(answer)]), clock)
    let token = try await OAuthService.client().token(.clientCredentials(), for: session)
    #expect(token.expires == seconds.map(clock.date.addingTimeInterval))
    #expect(!token.requiresRefresh(at: clock.date))
  }

  @Test func `the secret does not follow a redirect of the token endpoint`() async throws {
    let mock = MockTransport()
    mock.stub(.post, OAuthService.tokenURL, .redirect(to: "https://evil.example/token", status: .temporaryRedirect))
    let session = try OAuthService.session(mock)
    await #expect(throws: LupineError.self) {
      _ = try await OAuthService.client().token(.clientCredentials(), for: session)
    }
    #expect(mock.requests.count == 1)
  }

  @Test(arguments: [
    ("http://auth.example.com/token", false), ("http://localhost.example.com/", false), ("ftp://x/", false),
    ("http://localhost:8080/token", true), ("http://127.0.0.1/", true), ("http://[::1]/", true),
  ])
  func `tokens are asked for over https, or on this machine`(url: String, isTaken: Bool) {
    #expect(((try? OAuthClient(tokenURL: url, identifier: "x")) != nil) == isTaken)
  }

  @Test func `neither a token nor a client nor a grant shows a secret`() throws {
    let token = OAuthToken(accessToken: "secret", refreshToken: "secret")
    #expect("\(token) \(OAuthGrant.refreshToken("secret"))" == "OAuthToken refresh_token")
    #expect("\(try OAuthService.client())" == "OAuthClient(https://auth.example.com)")
  }
}
