import LupineAuthentication
import LupineCore
import LupineSession
import LupineMock

/// An authorization server, a service that accepts its tokens, and the client of both.
enum OAuthService {
  static let tokenURL = "https://auth.example.com/token"
  static let api = "https://api.example.com/users"

  static func client(_ secret: String? = "s&cret", _ authenticationMethod: OAuthClient.AuthenticationMethod = .header)
    throws -> OAuthClient
  {
    try OAuthClient(
      tokenURL: tokenURL, identifier: "my client", secret: secret, authenticationMethod: authenticationMethod)
  }

  static func token(_ number: Int, expiresIn: Int? = 3_600, refresh: String? = nil) -> MockReply {
    let life = expiresIn.map { ", \"expires_in\": \($0)" } ?? ""
    let renewal = refresh.map { ", \"refresh_token\": \"\($0)\"" } ?? ""
    return .text("{\"access_token\": \"t\(number)\", \"token_type\": \"bearer\"\(life)\(renewal)}")
  }

  static func session(
    _ mock: MockTransport, _ clock: ImmediateClock = ImmediateClock(),
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> Session {
    try change(
      Session.Builder().transport(mock).clock(clock).baseURL("https://api.example.com")
    ).build()
  }

  /// Stubs the authorization server, which sends these replies in order, and the service.
  static func mock(_ replies: [MockReply]) -> MockTransport {
    let mock = MockTransport()
    mock.stub(.post, tokenURL, .sequence(replies))
    mock.stub(.get, api, .text("users"))
    return mock
  }

  static func tokenRequests(_ mock: MockTransport) -> [RecordedRequest] {
    mock.requests.filter { $0.url.string == tokenURL }
  }
}
