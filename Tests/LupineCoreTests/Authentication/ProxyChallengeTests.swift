import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

/// The credentials that a proxy receives, and that a server never receives.
@Suite struct ProxyChallengeTests {
  private static let plain = "http://api.example.com/v1/users"
  private static let challenge = "Basic realm=\"staff\""

  /// A proxy that accepts one value of `Proxy-Authorization`, and the server behind the proxy.
  private static func bench(_ challenge: String = challenge, _ accepted: String = "Basic dTpw") -> TestBed {
    TestBed { mock in
      for method in [HTTPRequest.Method.get, .post] {
        mock.stub([method], "/{any...}") { request in
          request.proxyAuthorization == accepted ? .text("welcome") : .proxyChallenge(challenge)
        }
      }
    }
  }

  private static func session(
    _ bench: TestBed, _ user: String = "u:p@", _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> Session {
    try bench.session { change($0.proxy("http://\(user)proxy.example.com:3128")) }
  }

  @Test(arguments: [plain, TestBed.url])
  func `if Basic is the only scheme, a proxy receives it preemptively`(url: String) async throws {
    let bench = Self.bench()
    let session = try Self.session(bench)
    #expect(await session.request(url).serializingString().response.value == "welcome")
    #expect(bench.mock.requests.map(\.proxyAuthorization) == ["Basic dTpw"])
    #expect(bench.mock.requests.allSatisfy { $0.headers[.proxyAuthorization] == nil })
  }

  @Test func `a server's 407 is given no advice about proxies`() async throws {
    let bench = TestBed(.status(.proxyAuthenticationRequired).field(.proxyAuthenticate, "NTLM"))
    let error = await (try bench.session()).request(TestBed.url).validate().serializingData().response.error
    #expect(error?.kind == .unacceptableStatusCode(407))
    #expect(error?.message.contains("credential") == false)
  }

  @Test(arguments: [plain, TestBed.url])
  func `with a stronger scheme, a proxy receives Basic after its challenge, and preemptively from then on`(
    url: String
  ) async throws {
    let bench = Self.bench()
    let session = try Self.session(bench) { $0.authenticationScheme(Stronger()) }
    for _ in 1...2 { #expect(await session.request(url).serializingString().response.value == "welcome") }
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil, "Basic dTpw", "Basic dTpw"])
  }

  @Test(arguments: [plain, TestBed.url])
  func `the strongest scheme that a proxy offers answers it`(url: String) async throws {
    let bench = Self.bench("Basic realm=x, Stronger realm=x", "Stronger answer")
    let session = try Self.session(bench) { $0.authenticationScheme(Stronger()) }
    #expect(await session.request(url).serializingString().response.value == "welcome")
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil, "Stronger answer"])
  }

  @Test(arguments: [plain, TestBed.url], [false, true])
  func `a proxy that always answers 407 receives the credential once`(url: String, isAsked: Bool) async throws {
    let bench = Self.bench(Self.challenge, "nothing")
    let session = try Self.session(bench) { isAsked ? $0.authenticationScheme(Stronger()) : $0 }
    let response = await session.request(url).validate().serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(407))
    #expect(bench.mock.requests.map(\.proxyAuthorization) == (isAsked ? [nil, "Basic dTpw"] : ["Basic dTpw"]))
    #expect(Self.reasons(bench) == ["the credential was already sent"])
  }

  private static func reasons(_ bench: TestBed) -> [String] {
    bench.log.all.compactMap { if case .challenged(false, let reason) = $0.kind { reason } else { nil } }
  }

  @Test func `a proxy gets no credential that is meant for a server`() async throws {
    let bench = Self.bench()
    let session = try Self.session(bench, "") { $0.onChallenge { _ in Credential(username: "u", password: "p") } }
    let response = await session.request(Self.plain).authenticate(username: "u", password: "p").serializingData()
      .response
    #expect(response.response?.status.code == 407)
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil])
    #expect(Self.reasons(bench) == ["the proxy has no credential"])
  }

  @Test(arguments: [plain, TestBed.url])
  func `a server that answers 407 receives no credential of the proxy`(url: String) async throws {
    let reply = MockReply.status(.proxyAuthenticationRequired).field(.proxyAuthenticate, Self.challenge)
    let bench = TestBed(reply)
    let session = try Self.session(bench) { $0.authenticationScheme(Stronger()) }
    #expect(await session.request(url).serializingData().response.response?.status.code == 407)
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil])
  }

  @Test func `a proxy and the server behind it are each given their own credential`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "/{any...}") { request in
        guard request.proxyAuthorization == "Stronger answer" else { return .proxyChallenge("Stronger realm=x") }
        return request.headers[.authorization] == "Basic YTpi" ? .text("welcome") : .challenge(Self.challenge)
      }
    }
    let session = try Self.session(bench) { $0.authenticationScheme(Stronger()) }
    let response = await session.request(TestBed.url).authenticate(username: "a", password: "b").serializingString()
      .response
    #expect(response.value == "welcome")
    #expect(bench.mock.requests.map { $0.headers[.authorization] } == [nil, nil, "Basic YTpi"])
  }

  @Test func `a redirect to another origin keeps the proxy's credential and leaves the server's behind`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "http://a.example.com/", .redirect(to: "http://b.example.com/"))
      mock.stub(.get, "http://b.example.com/", .challenge(Self.challenge))
    }
    let response = await (try Self.session(bench)).request("http://a.example.com/")
      .authenticate(username: "a", password: "b").serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.map(\.proxyAuthorization) == ["Basic dTpw", "Basic dTpw"])
  }

  @Test func `a host that is reached without the proxy is not sent its credential`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.proxy("http://u:p@proxy.example.com", except: ["api.example.com"]) }
    #expect(await session.request(Self.plain).serializingString().response.value == "hello")
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil])
  }

  @Test func `a SOCKS proxy is sent no field`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.proxy("socks5://u:p@proxy.example.com") }
    #expect(await session.request(Self.plain).serializingString().response.value == "hello")
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil])
  }

  @Test func `an own Proxy-Authorization is sent as it is, until the proxy refuses it`() async throws {
    let bench = Self.bench()
    var request = try OutgoingRequest(Self.plain)
    request.headers[.proxyAuthorization] = "Basic b3du"
    #expect(await (try Self.session(bench)).request(request).serializingString().response.value == "welcome")
    #expect(bench.mock.requests.map { $0.headers[.proxyAuthorization] } == ["Basic b3du", nil])
    #expect(bench.mock.requests.map(\.proxyAuthorization) == [nil, "Basic dTpw"])
  }

  @Test func `a body that exists once is sent through a tunnel that was refused at first`() async throws {
    let bench = TestBed { mock in
      mock.stub(.post, "/{any...}", count: .once, reading: .first(bytes: 0), .proxyChallenge(Self.challenge))
      mock.stub(.post, "/{any...}") { .text($0.text) }
    }
    let session = try Self.session(bench) { $0.authenticationScheme(Stronger()) }
    let pieces = AsyncStream<[UInt8]> { pieces in
      pieces.yield(Array("content".utf8))
      pieces.finish()
    }
    let request = try OutgoingRequest(TestBed.url, method: .post, body: .oneShot(pieces))
    #expect(await session.request(request).serializingString().response.value == "content")
    #expect(bench.mock.requests.count == 2)
  }

  @Test(arguments: [plain, TestBed.url])
  func `a one-shot body ends with the challenge, and the error names the reason`(url: String) async throws {
    let bench = TestBed { mock in
      mock.stub(.post, "/{any...}") { request in
        url == Self.plain ? .proxyChallenge(Self.challenge) : .challenge(Self.challenge)
      }
    }
    let session = try Self.session(bench) { $0.authenticationScheme(Stronger()) }
    let pieces = AsyncStream<[UInt8]> { pieces in
      pieces.yield(Array("content".utf8))
      pieces.finish()
    }
    let request = try OutgoingRequest(url, method: .post, body: .oneShot(pieces))
    let error = await session.request(request).authenticate(username: "a", password: "b").validate()
      .serializingData().response.error
    #expect(error?.kind == .unacceptableStatusCode(url == Self.plain ? 407 : 401))
    #expect(error?.message.contains("the request's body can be sent only once") == true)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `events, descriptions and the cURL command do not show the proxy's credential`() async throws {
    let bench = Self.bench()
    let session = try Self.session(bench)
    let request = session.request(Self.plain)
    let response = await request.serializingString().response
    let told = bench.log.all.map { "\($0)" } + ["\(response)", await request.cURLDescription(), "\(session)"]
    #expect(!told.joined().contains("dTpw"))
    var context = TransferContext(id: RequestID(1)) { _ in .discard(limit: 0) }
    context.proxyAuthorization = "Basic dTpw"
    var dumped = ""
    dump(context, to: &dumped)
    #expect(!(dumped + "\(context)" + String(reflecting: context)).contains("dTpw"))
  }

  @Test(arguments: [
    ("NTLM", "connection credential"), ("Negotiate", "connection credential"), ("Digest", "LupineAuth"),
  ])
  func `the error of a 407 that no scheme can answer names the module that could`(scheme: String, words: String)
    async throws
  {
    let bench = Self.bench("\(scheme) realm=x", "nothing")
    let error = await (try Self.session(bench)).request(Self.plain).validate().serializingData().response.error
    #expect(error?.message.contains(words) == true)
  }
}

private struct Stronger: AuthenticationScheme {
  let name = "Stronger"

  func strength(of challenge: AuthenticationChallenge) -> Int { 5 }

  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    context.recipient == .origin ? nil : "Stronger answer"
  }
}
