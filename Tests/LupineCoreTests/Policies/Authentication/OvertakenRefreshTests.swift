import FoundationEssentials
import HTTPTypes
import LupineMock
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

/// Refreshes during which the program sets another credential, and refreshes that return an expired credential.
@Suite struct OvertakenRefreshTests {
  private static let due = Token("t0", expires: .distantPast)

  @Test func `no other refresh begins before an abandoned refresh has returned`() async throws {
    try await withSimulation { world in
      let tokens = StubbornAuthenticator(heedsCancellation: false)
      let (mock, interceptor) = (Self.mock(), AuthenticationInterceptor(tokens, credential: Self.due))
      let session = try Self.session(mock, interceptor)
      async let response = session.request("items").serializingString().response
      try await world.sleep(for: .seconds(1))
      interceptor.credential = Token("u0", expires: .distantPast)
      try await world.sleep(for: .seconds(1))
      interceptor.credential = Token("v0", expires: .distantPast)
      let value = await response.value
      try world.expect(value == "ok", "the request was lost")
      try world.expect(
        tokens.log == ["t0 begins", "t0 returns", "v0 begins", "v0 returns", "v0+ is taken"], "\(tokens.log)")
      try world.expect(mock.requests.map { $0.headers[.authorization] } == ["Bearer v0+"], "\(mock.requests)")
      try world.expect(world.clock.now.offset == .seconds(10), "\(world.clock.now.offset)")
    }
  }

  @Test func `a credential that is good waits for no refresh of another`() async throws {
    try await withSimulation { world in
      let tokens = StubbornAuthenticator(heedsCancellation: false)
      let (mock, interceptor) = (Self.mock(), AuthenticationInterceptor(tokens, credential: Self.due))
      let session = try Self.session(mock, interceptor)
      async let response = session.request("items").serializingString().response
      try await world.sleep(for: .seconds(1))
      interceptor.credential = Token("u0")
      let value = await response.value
      try world.expect(value == "ok" && world.clock.now.offset == .seconds(1), "it waited")
      try await world.sleep(for: .seconds(10))
      try world.expect(interceptor.credential?.text == "u0", "the refresh's result was taken")
      try world.expect(tokens.log == ["t0 begins", "t0 returns"], "\(tokens.log)")
    }
  }

  @Test func `a refresh whose result is not needed any more is cancelled`() async throws {
    try await withSimulation { world in
      let tokens = StubbornAuthenticator(heedsCancellation: true)
      let interceptor = AuthenticationInterceptor(tokens, credential: Self.due)
      let session = try Self.session(Self.mock(), interceptor)
      async let response = session.request("items").serializingString().response
      try await world.sleep(for: .seconds(1))
      interceptor.credential = nil
      let error = await response.error
      try world.expect(error?.kind == .missingCredential, "\(String(describing: error))")
      try await world.sleep(for: .milliseconds(1))
      try world.expect(tokens.log == ["t0 begins", "t0 is cancelled"], "\(tokens.log)")
    }
  }

  @Test func `a refreshed credential is sent, even if it requires another refresh already`() async throws {
    let tokens = StubbornAuthenticator(heedsCancellation: true, expires: .distantPast)
    let (mock, interceptor) = (Self.mock(), AuthenticationInterceptor(tokens, credential: Self.due))
    let session = try Self.session(mock, interceptor) { $0.clock(ImmediateClock()) }
    for _ in 1...3 { _ = try await session.request("items").serializingString().value }
    #expect(mock.requests.map { $0.headers[.authorization] } == Array(repeating: "Bearer t0+", count: 3))
    #expect(tokens.log == ["t0 begins", "t0 returns", "t0+ is taken"])
    interceptor.credential = Self.due
    _ = try await session.request("items").serializingString().value
    #expect(tokens.log.count == 6)
  }

  @Test func `a credential that was due from the start is refreshed once it is refused`() async throws {
    let tokens = StubbornAuthenticator(heedsCancellation: true, expires: .distantPast)
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .challenge("Bearer"))
    mock.stub(.get, "/{any...}", where: [.field(.authorization, "Bearer t0++")], .text("ok"))
    let interceptor = AuthenticationInterceptor(tokens, credential: Self.due)
    let session = try Self.session(mock, interceptor) { $0.clock(ImmediateClock()) }
    #expect(try await session.request("items").serializingString().value == "ok")
    #expect(mock.requests.map { $0.headers[.authorization] } == ["Bearer t0+", "Bearer t0++"])
  }

  @Test func `a refreshed credential that is due at once is used by all requests, without another refresh`()
    async throws
  {
    let tokens = StubbornAuthenticator(heedsCancellation: true, expires: .distantPast)
    let interceptor = AuthenticationInterceptor(tokens, credential: Self.due)
    let mock = Self.mock()
    let session = try Self.session(mock, interceptor) { $0.clock(ImmediateClock()) }
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await session.request("items").serializingString().value } }
      for try await text in group { #expect(text == "ok") }
    }
    #expect(tokens.log == ["t0 begins", "t0 returns", "t0+ is taken"])
    #expect(mock.requests.map { $0.headers[.authorization] } == Array(repeating: "Bearer t0+", count: 50))
  }

  @Test func `refreshed credentials that are due at once and always refused end at the window`() async throws {
    let tokens = StubbornAuthenticator(heedsCancellation: true, expires: .distantPast)
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .challenge("Bearer"))
    let interceptor = AuthenticationInterceptor(
      tokens, credential: Self.due, refreshWindow: RefreshWindow(interval: .seconds(30), maximumAttempts: 5))
    let session = try Self.session(mock, interceptor) { $0.clock(ImmediateClock()) }
    for _ in 0..<3 {
      #expect(await session.request("items").serializingData().response.error?.kind == .excessiveRefresh)
    }
    #expect(tokens.log.count { $0.hasSuffix("begins") } == 5)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a credential may read the interceptor's when it is asked whether it requires a refresh`() async throws {
    let authenticator = LookingAuthenticator()
    let interceptor = AuthenticationInterceptor(
      authenticator,
      credential: LookingCredential(text: "t0") {
        authenticator.interceptor.withLock { $0 }?.credential?.text == "t0"
      })
    authenticator.interceptor.withLock { $0 = interceptor }
    let mock = Self.mock()
    let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").install(interceptor).build()
    #expect(try await session.request("items").serializingString().value == "ok")
    #expect(mock.requests.map { $0.headers[.authorization] } == ["Bearer t1"])
    authenticator.interceptor.withLock { $0 = nil }
  }

  @Test func `a credential that is replaced while it is asked is not sent`() async throws {
    let authenticator = LookingAuthenticator()
    let interceptor = AuthenticationInterceptor(
      authenticator,
      credential: LookingCredential(text: "t0") {
        authenticator.interceptor.withLock { $0 }?.credential = LookingCredential(text: "u0") { false }
        return false
      })
    authenticator.interceptor.withLock { $0 = interceptor }
    let mock = Self.mock()
    let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").install(interceptor).build()
    #expect(try await session.request("items").serializingString().value == "ok")
    #expect(mock.requests.map { $0.headers[.authorization] } == ["Bearer u0"])
    authenticator.interceptor.withLock { $0 = nil }
  }

  private static func mock() -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", count: .optional, .text("ok"))
    return mock
  }

  private static func session(
    _ mock: MockTransport, _ interceptor: AuthenticationInterceptor<StubbornAuthenticator>,
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> Session {
    try change(Session.Builder().transport(mock).baseURL("https://api.example.com").install(interceptor)).build()
  }
}

/// Refreshes a token in five simulated seconds by appending a `+`, and logs each step.
private final class StubbornAuthenticator: Authenticator {
  private let lines = Mutex<[String]>([])
  private let heedsCancellation: Bool
  private let expires: Date

  init(heedsCancellation: Bool, expires: Date = .distantFuture) {
    self.heedsCancellation = heedsCancellation
    self.expires = expires
  }

  var log: [String] { lines.withLock { $0 } }

  private func note(_ line: String) { lines.withLock { $0.append(line) } }

  func apply(_ credential: Token, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.text)"
  }

  func refresh(_ credential: Token, for session: Session) async throws -> Token {
    note("\(credential.text) begins")
    if let world = Simulation.current {
      if heedsCancellation {
        do { try await world.sleep(for: .seconds(5)) } catch {
          note("\(credential.text) is cancelled")
          throw error
        }
      } else {
        await Task(executorPreference: world.executor) { try? await world.sleep(for: .seconds(5)) }.value
      }
    }
    note("\(credential.text) returns")
    return Token("\(credential.text)+", expires: expires)
  }

  func didRefresh(_ credential: Token) async { note("\(credential.text) is taken") }
}

/// A credential that calls a closure to decide whether it requires a refresh.
private struct LookingCredential: AuthenticationCredential {
  let text: String
  let isDue: @Sendable () -> Bool

  func requiresRefresh(at date: Date) -> Bool { isDue() }
}

/// Refreshes every credential to `t1`, and stores the interceptor that the credentials read.
private final class LookingAuthenticator: Authenticator {
  let interceptor = Mutex<AuthenticationInterceptor<LookingAuthenticator>?>(nil)

  func apply(_ credential: LookingCredential, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.text)"
  }

  func refresh(_ credential: LookingCredential, for session: Session) async throws -> LookingCredential {
    LookingCredential(text: "t1") { [self] in interceptor.withLock { $0 }?.credential == nil }
  }
}
