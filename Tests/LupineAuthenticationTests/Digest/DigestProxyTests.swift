import HTTPTypes
import LupineAuthentication
import LupineCore
import LupineSession
import LupineMock
import Testing

/// Digest to a proxy, for requests that the proxy forwards and for tunnels.
@Suite struct DigestProxyTests {
  private static let plain = "http://a.example.com/dir?x=%2F"
  private static let tunnelled = "https://a.example.com/dir"

  private static func challenge(_ nonce: String = "n1", isStale: Bool = false) -> MockReply {
    .proxyChallenge(
      "Digest realm=\"p\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=SHA-256\(isStale ? ", stale=true" : "")")
  }

  /// A proxy that accepts these nonces, and a server that responds with `welcome`.
  private static func mock(
    accepting nonces: [String] = ["n1"], refusal: MockReply = challenge(), _ change: (MockReply) -> MockReply = { $0 }
  ) -> MockTransport {
    let mock = MockTransport()
    let welcome = change(.text("welcome"))
    mock.stub([.get, .post], "/{any...}") { request in
      guard let nonce = sent(request)["nonce"] else { return challenge() }
      return nonces.contains(nonce) ? welcome : refusal
    }
    return mock
  }

  private static func sent(_ request: RecordedRequest) -> [String: String] {
    Sample.parameters(request.proxyAuthorization)
  }

  private static func session(_ mock: MockTransport, _ proxy: String = "u:p@proxy.example.com") throws -> Session {
    try Session.Builder().transport(mock).clock(ImmediateClock()).install(.authentication).proxy("http://" + proxy)
      .build()
  }

  private static func get(_ session: Session, _ url: String) async -> DataResponse<String> {
    await session.request(url).serializingString().response
  }

  @Test(arguments: [(plain, plain), (tunnelled, "a.example.com:443"), ("https://[::1]:8443/", "[::1]:8443")])
  func `a proxy's challenge is answered for the target it reads, and the server sees nothing`(
    url: String, target: String
  ) async throws {
    let mock = Self.mock()
    #expect(await Self.get(try Self.session(mock), url).value == "welcome")
    #expect(mock.requests.map { Self.sent($0)["uri"] } == [nil, target])
    #expect(mock.requests.allSatisfy { $0.headers[.proxyAuthorization] == nil && $0.headers[.authorization] == nil })
  }

  @Test func `the nonce serves later requests and tunnels to whatever server`() async throws {
    let mock = Self.mock()
    let session = try Self.session(mock)
    for url in [Self.plain, Self.tunnelled, "https://b.example.com/"] {
      #expect(await Self.get(session, url).value == "welcome")
    }
    #expect(mock.requests.map { Self.sent($0)["nc"] } == [nil, "00000001", "00000002", "00000003"])
    let targets = [nil, Self.plain, "a.example.com:443", "b.example.com:443"]
    #expect(mock.requests.map { Self.sent($0)["uri"] } == targets)
  }

  @Test(arguments: [plain, tunnelled])
  func `the nonce that the proxy names next is used next`(url: String) async throws {
    let information: HTTPFields = [.proxyAuthenticationInfo: "nextnonce=\"n2\""]
    let mock = Self.mock(accepting: ["n1", "n2"]) {
      url == Self.plain ? $0.fields(information) : $0.tunnelFields(information)
    }
    let session = try Self.session(mock)
    for _ in 1...3 { #expect(await Self.get(session, url).value == "welcome") }
    #expect(mock.requests.map { Self.sent($0)["nonce"] } == [nil, "n1", "n2", "n2"])
  }

  @Test(arguments: [(plain, LupineError.Kind.serverNotAuthenticated), (tunnelled, nil)])
  func `if a proof is required, a forwarding proxy must send one, and a tunnel need not`(
    url: String, expected: LupineError.Kind?
  ) async throws {
    let session = try Session.Builder().transport(Self.mock()).clock(ImmediateClock())
      .authenticationScheme(DigestScheme(requiresMutualAuthentication: true)).proxy("http://u:p@proxy.example.com")
      .build()
    for _ in 1...2 { #expect(await Self.get(session, url).error?.kind == expected) }
  }

  @Test func `a 407 that comes through a tunnel is the server's challenge, not the proxy's`() async throws {
    let mock = Self.mock { $0.fields([.proxyAuthenticationInfo: "nextnonce=\"evil\""]) }
    let session = try Self.session(mock)
    for _ in 1...2 { #expect(await Self.get(session, Self.tunnelled).value == "welcome") }
    #expect(mock.requests.map { Self.sent($0)["nonce"] } == [nil, "n1", "n1"])
  }

  @Test(arguments: [plain, tunnelled])
  func `a stale nonce is replaced, once`(url: String) async throws {
    let renewing = Self.mock(accepting: ["n2"], refusal: Self.challenge("n2", isStale: true))
    #expect(await Self.get(try Self.session(renewing), url).value == "welcome")
    #expect(renewing.requests.map { Self.sent($0)["nonce"] } == [nil, "n1", "n2"])
    let endless = Self.mock(accepting: [], refusal: Self.challenge("n3", isStale: true))
    #expect(await Self.get(try Self.session(endless), url).response?.status.code == 407)
    #expect(endless.requests.count == 3)
  }

  @Test(arguments: [plain, tunnelled])
  func `a wrong password ends with the 407 after one answer`(url: String) async throws {
    let mock = Self.mock(accepting: [])
    let session = try Self.session(mock)
    for count in [2, 4] {
      #expect(await Self.get(session, url).response?.status.code == 407)
      #expect(mock.requests.count == count)
    }
  }

  @Test func `the state of one proxy's Digest is not used for another proxy`() async throws {
    let mock = Self.mock()
    let transport = mock
    let scheme = DigestScheme()
    for proxy in ["one.example.com", "two.example.com"] {
      let session = try Session.Builder().transport(transport).authenticationScheme(scheme)
        .proxy("http://u:p@\(proxy)").build()
      #expect(await Self.get(session, Self.plain).value == "welcome")
    }
    #expect(mock.requests.map { Self.sent($0)["nc"] } == [nil, "00000001", nil, "00000001"])
  }

  @Test func `a server's Digest and a proxy's are answered apart`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}") { request in
      guard Self.sent(request)["nonce"] == "n1" else { return Self.challenge() }
      let own = Sample.parameters(request.headers[.authorization])
      guard own["nonce"] == "server", own["uri"] == "/dir?x=%2F" else {
        return .challenge("Digest realm=\"p\", nonce=\"server\", qop=auth")
      }
      return .text("welcome")
    }
    let response = await (try Self.session(mock)).request(Self.plain).authenticate(with: Sample.mufasa)
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(mock.requests.map { Self.sent($0)["username"] } == [nil, "u", "u"])
    #expect(mock.requests.map { Sample.parameters($0.headers[.authorization])["username"] } == [nil, nil, "Mufasa"])
  }
}
