import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineStreams
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct AuthenticationInterceptorTests {
  private static let url = "https://api.example.com/items"

  @Test func `the credential goes to the base URL's origin alone`() async throws {
    let world = TokenWorld(valid: ["t0"])
    let session = try world.session()
    _ = await session.request("items").serializingData().response
    _ = await session.request("https://elsewhere.example.com/").serializingData().response
    #expect(world.tokens == ["Bearer t0", nil])
  }

  @Test func `without a credential a request fails before it is sent`() async throws {
    let world = TokenWorld(valid: ["t0"], credential: nil)
    let response = await (try world.session()).request("items").serializingData().response
    #expect(response.error?.kind == .missingCredential)
    #expect(world.tokens == [])
    world.interceptor.credential = Token("t0")
    #expect(await (try world.session()).request("items").serializingData().response.error == nil)
  }

  @Test func `a credential that is about to expire is refreshed before it is used`() async throws {
    let world = TokenWorld(valid: ["t1"], credential: Token("t0", expires: Date(timeIntervalSince1970: 100)))
    let session = try world.session { $0.now { Date(timeIntervalSince1970: 101) } }
    #expect(await session.request("items").validate().serializingData().response.error == nil)
    #expect(world.tokens == ["Bearer t1"])
    #expect(world.refreshes == 1)
  }

  @Test func `a refused credential is refreshed and the request sent again, with validate or without`() async throws {
    for validates in [true, false] {
      let world = TokenWorld(valid: ["t1"])
      var request = try world.session().request("items", method: .post)
      if validates { request = request.validate() }
      #expect(await request.serializingData().response.response?.status == .ok)
      #expect(world.tokens == ["Bearer t0", "Bearer t1"])
    }
  }

  @Test func `a server that refuses every credential ends with an error that names it`() async throws {
    let world = TokenWorld(valid: [])
    let session = try world.session()
    let response = await session.request("items").serializingData().response
    #expect(response.error?.kind == .excessiveRefresh)
    #expect(world.refreshes == 5)
    _ = await session.request("items").serializingData().response
    #expect(world.refreshes == 5)
    try await world.clock.sleep(for: .seconds(31))
    _ = await session.request("items").serializingData().response
    #expect(world.refreshes == 10)
  }

  @Test(arguments: [0, -1])
  func `a window that allows no refresh means never`(attempts: Int) async throws {
    let world = TokenWorld(valid: ["t0"], window: RefreshWindow(maximumAttempts: attempts))
    let session = try world.session()
    #expect(await session.request("items").serializingData().response.error == nil)
    world.interceptor.credential = Token("t1")
    let response = await session.request("items").serializingData().response
    #expect(response.error?.kind == .excessiveRefresh)
    #expect(response.error?.message.contains("allows no refresh") == true)
    #expect(world.refreshes == 0)
  }

  @Test func `one that answers slowly does not outlast the window`() async throws {
    let world = TokenWorld(valid: [], delay: .seconds(20))
    let response = await (try world.session()).request("items").serializingData().response
    #expect(response.error?.kind == .excessiveRefresh)
    #expect(world.tokens.count == 7)
  }

  @Test func `the refresh may use the session that needs it`() async throws {
    let world = TokenWorld(valid: ["t1"], refreshesOverSession: true)
    #expect(await (try world.session()).request("items").serializingData().response.response?.status == .ok)
    #expect(world.tokens == ["Bearer t0", nil, "Bearer t1"])
  }

  @Test func `a refusal by another origin is no reason to refresh`() async throws {
    let world = TokenWorld(valid: ["t0"])
    world.mock.stub(
      .get, "https://api.example.com/away", priority: 1, .redirect(to: "https://elsewhere.example.com/"))
    world.mock.stub(.get, "https://elsewhere.example.com/", priority: 1, .challenge("Bearer"))
    let response = await (try world.session()).request("away").serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(world.refreshes == 0)
    #expect(world.tokens == ["Bearer t0", nil])
  }

  @Test func `a refusal by a proxy is no reason to refresh`() async throws {
    let world = TokenWorld(valid: ["t0"])
    world.mock.stub(.get, "https://api.example.com/refused", priority: 1, .refusedByProxy(.unauthorized))
    let session = try world.session()
    let statuses = [
      await session.request("refused").serializingData().response.response?.status,
      await session.request("refused").validate().serializingData().response.response?.status,
    ]
    #expect(statuses == [.unauthorized, .unauthorized])
    for try await _ in session.streamRequest("refused").serializingBytes() {}
    let error = await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest("refused").validate().serializingBytes() {}
    }
    #expect(error?.kind == .unacceptableStatusCode(401))
    #expect(world.refreshes == 0)
    #expect(world.tokens.count == 4)
  }

  @Test func `a serializer that fails is no reason to refresh`() async throws {
    let world = TokenWorld(valid: ["t0"], refusal: .ok)
    let response = await (try world.session()).request("items").serializingJSON().response
    #expect(response.response?.status == .ok)
    #expect(response.error?.kind == .serializationFailed)
    #expect(world.tokens == ["Bearer t0"])
    #expect(world.refreshes == 0)
  }

  @Test func `a status that the authenticator counts as a refusal is a reason to refresh`() async throws {
    let world = TokenWorld(valid: ["t0"], refusal: .ok)
    let request = try world.session().request("items").validate(contentType: ["application/json"])
    #expect(await request.serializingJSON().response.response?.status == .unauthorized)
    #expect(world.tokens == ["Bearer t0", "Bearer t1"])
    #expect(world.refreshes == 1)
  }

  @Test func `the retries of others are no refreshes`() async throws {
    let world = TokenWorld(valid: ["t1"])
    let resets = Array(repeating: MockReply.reset, count: 6)
    world.mock.stub(
      .get, "https://api.example.com/flaky", priority: 1, .sequence(resets + [.challenge("Bearer"), .text("ok")]))
    let session = try world.session { $0.retrier(.connectionLost(limit: 6)) }
    let response = await session.request("flaky").serializingString().response
    #expect(response.value == "ok")
    #expect(world.tokens == Array(repeating: "Bearer t0", count: 7) + ["Bearer t1"])
    #expect(world.refreshes == 1)
  }

  @Test func `a body that can be sent only once ends with the 401`() async throws {
    let world = TokenWorld(valid: ["t1"])
    let bytes = AsyncStream<[UInt8]> { $0.finish() }
    let request = try OutgoingRequest(Self.url, method: .post, body: .oneShot(bytes))
    let response = await (try world.session()).request(request).validate().serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(401))
    #expect(response.error?.message.contains("only once") == true)
    #expect(world.refreshes == 0)
  }

  @Test func `sessions share a credential and its refresh`() async throws {
    let world = TokenWorld(valid: ["t1"])
    for _ in 0..<2 { _ = await (try world.session()).request("items").serializingData().response }
    #expect(world.tokens == ["Bearer t0", "Bearer t1", "Bearer t1"])
    #expect(world.refreshes == 1)
  }

  @Test func `a log-out during a refresh is not undone by it`() async throws {
    let error = try await withSimulation { world in
      let tokens = TokenWorld(valid: ["t1"], refreshTime: .seconds(5))
      let session = try Session.Builder().transport(tokens.mock).baseURL("https://api.example.com")
        .install(tokens.interceptor).build()
      async let response = session.request("items").serializingData().response
      try await world.sleep(for: .seconds(1))
      tokens.interceptor.credential = nil
      let error = await response.error
      try await world.sleep(for: .seconds(10))
      try world.expect(tokens.interceptor.credential == nil, "the refresh logged in again")
      return error
    }
    #expect(error?.kind == .missingCredential)
  }

  @Test func `a request that is cancelled while it waits ends at once, and the refresh continues`() async throws {
    try await withSimulation { world in
      let tokens = TokenWorld(valid: ["t1"], refreshTime: .seconds(5))
      let session = try Session.Builder().transport(tokens.mock).baseURL("https://api.example.com")
        .install(tokens.interceptor).build()
      let request = session.request("items")
      async let response = request.serializingData().response
      try await world.sleep(for: .seconds(1))
      request.cancel()
      let error = await response.error
      try world.expect(error?.kind == .cancelled, "\(String(describing: error))")
      try world.expect(world.clock.now.offset == .seconds(1), "it waited")
      try await world.sleep(for: .seconds(10))
      try world.expect(tokens.interceptor.credential?.text == "t1", "the refresh was lost")
    }
  }
}

/// A server that accepts some tokens, and a client whose refreshes return t1, t2 and so on.
final class TokenWorld: Sendable {
  let mock = MockTransport()
  let clock = ImmediateClock()
  let interceptor: AuthenticationInterceptor<TokenAuthenticator>
  private let authenticator: TokenAuthenticator

  init(
    valid: Set<String>, credential: Token? = Token("t0"), delay: Duration = .zero, refreshTime: Duration = .zero,
    refreshesOverSession: Bool = false, refusal: HTTPResponse.Status = .unauthorized,
    window: RefreshWindow = RefreshWindow()
  ) {
    authenticator = TokenAuthenticator(time: refreshTime, overSession: refreshesOverSession, refusal: refusal)
    interceptor = AuthenticationInterceptor(authenticator, credential: credential, refreshWindow: window)
    mock.stub(.post, "/refresh", priority: 2, count: .optional, .text("fresh"))
    mock.stub([.get, .post], "/{any...}", count: .optional) { request in
      let token = request.headers[.authorization]?.dropFirst("Bearer ".count)
      let reply = token.map { valid.contains(String($0)) } == true ? MockReply.text("ok") : .challenge("Bearer")
      return reply.delay(delay)
    }
  }

  func session(_ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    try change(
      Session.Builder().transport(mock).clock(clock).baseURL("https://api.example.com").install(interceptor)
    ).build()
  }

  /// The `Authorization` field of each request.
  var tokens: [String?] { mock.requests.map { $0.headers[.authorization] } }
  var refreshes: Int { authenticator.count }
}

struct Token: AuthenticationCredential {
  let text: String
  var expires = Date.distantFuture

  init(_ text: String, expires: Date = .distantFuture) {
    self.text = text
    self.expires = expires
  }

  func requiresRefresh(at date: Date) -> Bool { expires <= date }
}

final class TokenAuthenticator: Authenticator {
  private let state = Mutex(0)
  private let time: Duration
  private let overSession: Bool
  private let refusal: HTTPResponse.Status

  init(time: Duration, overSession: Bool, refusal: HTTPResponse.Status = .unauthorized) {
    self.time = time
    self.overSession = overSession
    self.refusal = refusal
  }

  var count: Int { state.withLock { $0 } }

  func apply(_ credential: Token, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.text)"
  }

  func didRequest(_ request: OutgoingRequest, failDueToAuthenticationError response: HTTPResponse) -> Bool {
    response.status == refusal
  }

  func refresh(_ credential: Token, for session: Session) async throws -> Token {
    let number = state.withLock { count in
      count += 1
      return count
    }
    if time > .zero { try await Simulation.current?.sleep(for: time) }
    if overSession { _ = try await session.request("refresh", method: .post).validate().serializingData().value }
    return Token("t\(number)")
  }
}
