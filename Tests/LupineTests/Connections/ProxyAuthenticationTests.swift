import Lupine
import LupineFixtures
import Synchronization
import Testing
import TransportSupport

/// Authentication to proxies: squid with its helpers for Digest and Negotiate, and NTLM that pyspnego verifies.
@Suite(.besidePeers, .overEachTransport) struct ProxyAuthenticationTests {
  /// Counts the exchanges and the tunnels of a session.
  private final class Count: EventMonitor {
    private let counts = Mutex((exchanges: 0, tunnels: 0))

    func receive(_ event: SessionEvent) {
      counts.withLock { counts in
        switch event.kind {
        case .sending: counts.exchanges += 1
        case .tunnelled: counts.tunnels += 1
        default: break
        }
      }
    }

    var exchanges: Int { counts.withLock { $0.exchanges } }
    var tunnels: Int { counts.withLock { $0.tunnels } }
  }

  /// Whether the connection to the proxy uses TLS.
  enum Line: CaseIterable { case clear, tls }

  private static let greeting = "Hello from nginx\n"
  private static let connection = HTTPField.Name("X-Connection") ?? .server
  private static let user = HTTPField.Name("X-User") ?? .server

  private static func url(_ scheme: String) throws -> String {
    try (scheme == "http" ? Peer.nginx : Peer.nginxTLS).url
  }

  private static func session(
    _ count: Count = Count(), _ change: (Session.Builder) throws -> Session.Builder
  ) throws -> Session {
    let builder = Session.Builder().transport(.curl).standardDefaults().timeouts(total: .seconds(30)).monitor(count)
      .certificateAuthorities(Fixture.path("Certificates/root.pem"))
    return try change(builder).build()
  }

  private static func digest(
    _ password: String = "open sesame", _ count: Count = Count(), over line: Line = .clear
  ) throws -> Session {
    let place = try #require(line == .clear ? Peers.squidDigest : Peers.squidDigestTLS)
    let proxy = try Proxy(place).credential(username: "ali", password: password)
    return try session(count) { $0.proxy(proxy) }
  }

  @Test(arguments: ["http", "https"], Line.allCases)
  func `squid is answered by Digest, and not asked again for the next request`(scheme: String, line: Line) async throws
  {
    let count = Count()
    let session = try Self.digest("open sesame", count, over: line)
    for exchanges in [2, 3] {
      #expect(try await session.request(Self.url(scheme) + "/hello").serializingString().value == Self.greeting)
      #expect(count.exchanges == exchanges)
    }
    #expect(count.tunnels == (scheme == "https" ? 1 : 0))
  }

  @Test func `a later tunnel uses the nonce of the first`() async throws {
    let count = Count()
    let session = try Self.digest("open sesame", count)
    var request = try OutgoingRequest(try Self.url("https") + "/hello")
    // Each version of HTTP uses connections of its own.
    for version in [ProtocolVersion.http2, .http1_1] {
      request.options.version = version
      #expect(await session.request(request).serializingString().response.value == Self.greeting)
    }
    #expect(count.exchanges == 3 && count.tunnels == 2)
  }

  @Test(arguments: ["http", "https"], Line.allCases)
  func `squid refuses a wrong password by Digest, once, and Basic is not tried`(scheme: String, line: Line) async throws
  {
    let count = Count()
    let response = await (try Self.digest("wrong", count, over: line)).request(try Self.url(scheme) + "/hello")
      .validate()
      .serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(407))
    #expect(count.exchanges == 2)
  }

  @Test(arguments: ["http", "https"], Line.allCases)
  func `a body is forwarded after the answer`(scheme: String, line: Line) async throws {
    let request = try OutgoingRequest(
      try Self.url(scheme) + "/echo-size", method: .post, body: .text(String(repeating: "x", count: 100_000)))
    #expect(await (try Self.digest(over: line)).request(request).serializingString().response.value == "100000\n")
  }

  private static func onceOnly(to scheme: String) throws -> OutgoingRequest {
    let pieces = AsyncStream<[UInt8]> { pieces in
      for _ in 1...10 { pieces.yield([UInt8](repeating: 0x78, count: 10_000)) }
      pieces.finish()
    }
    return try OutgoingRequest(try Self.url(scheme) + "/echo-size", method: .post, body: .oneShot(pieces))
  }

  @Test(arguments: Line.allCases)
  func `a one-shot body that is forwarded ends with squid's 407, and the error names the reason`(
    line: Line
  ) async throws {
    let count = Count()
    let request = try Self.onceOnly(to: "http")
    let error = await (try Self.digest("open sesame", count, over: line)).request(request).validate()
      .serializingString().response.error
    #expect(error?.kind == .unacceptableStatusCode(407))
    #expect(error?.message.contains("the request's body can be sent only once") == true)
    #expect(count.exchanges == 1)
  }

  @Test(arguments: Line.allCases)
  func `a one-shot body is not sent before the tunnel is open`(line: Line) async throws {
    let request = try Self.onceOnly(to: "https")
    let count = Count()
    let response = await (try Self.digest("open sesame", count, over: line)).request(request).serializingString()
      .response
    #expect(response.value == "100000\n")
    #expect(count.exchanges == 2)
  }

  @Test(arguments: ["http", "https"])
  func `a path whose escapes have capitals is what Digest signs`(scheme: String) async throws {
    let response = await (try Self.digest()).request(try Self.url(scheme) + "/%68ello?a=%2F").serializingString()
      .response
    #expect(response.value == Self.greeting)
  }

  @Test func `a 407 from a server behind a tunnel gets no proxy credential`() async throws {
    let count = Count()
    let session = try Self.digest("open sesame", count)
    let response = await session.request(try Self.url("https") + "/proxy-challenge").serializingString().response
    #expect(response.response?.status.code == 407)
    #expect(response.value == "told=\n")
    #expect(count.exchanges == 2)
    #expect(await session.request(try Self.url("http") + "/hello").serializingString().response.value == Self.greeting)
    #expect(count.exchanges == 3)
  }

  @Test(.overEachTransport(needs: [.connectionAuthentication]), arguments: ["http", "https"], Line.allCases)
  func `squid takes the tickets of the cache by Negotiate`(scheme: String, line: Line) async throws {
    let proxy = try #require(line == .clear ? Peers.squidNegotiate : Peers.squidNegotiateTLS)
    let session = try Self.session { $0.proxy(proxy, proving: .negotiate) }
    for _ in 1...2 {
      #expect(
        await session.request(try Self.url(scheme) + "/hello").serializingString().response.value == Self.greeting)
    }
    let request = try OutgoingRequest(
      try Self.url(scheme) + "/echo-size", method: .post, body: .text(String(repeating: "x", count: 100_000)))
    #expect(await session.request(request).serializingString().response.value == "100000\n")
  }

  private static func ntlm(
    _ transport: any Transport = TestTransport.make(), _ password: String = "Circle of Life",
    over line: Line = .clear
  ) throws -> Session {
    let proxy = try #require(line == .clear ? Peers.ntlmProxy : Peers.ntlmProxyTLS)
    return try session {
      $0.transport(transport).proxy(proxy, proving: .ntlm(username: "LUPINE\\mufasa", password: password))
    }
  }

  @Test(.overEachTransport(needs: [.connectionAuthentication]), arguments: ["http", "https"], Line.allCases)
  func `NTLM lets the right password through, with a body too`(scheme: String, line: Line) async throws {
    let session = try Self.ntlm(over: line)
    let first = await session.request(try Self.url(scheme) + "/hello").serializingString().response
    #expect(first.value == Self.greeting)
    if scheme == "http" { #expect(first.response?.headerFields[Self.user] == "LUPINE\\mufasa") }
    let request = try OutgoingRequest(
      try Self.url(scheme) + "/echo-size", method: .post, body: .text(String(repeating: "x", count: 100_000)))
    for _ in 1...2 { #expect(await session.request(request).serializingString().response.value == "100000\n") }
  }

  @Test(.overEachTransport(needs: [.connectionAuthentication]), arguments: ["http", "https"], Line.allCases)
  func `NTLM refuses a wrong password with a 407`(scheme: String, line: Line) async throws {
    let session = try Self.ntlm(TestTransport.make(), "wrong", over: line)
    let response = await session.request(try Self.url(scheme) + "/hello").validate().serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(407))
  }

  @Test(.overEachTransport(needs: [.connectionAuthentication]))
  func `a connection to a proxy that is proved serves its own credential alone`() async throws {
    let transport = TestTransport.make()
    let url = try Self.url("http") + "/hello"
    let proved = try Self.ntlm(transport)
    let first = await proved.request(url).serializingString().response
    let again = await proved.request(url).serializingString().response
    let number = try #require(first.response?.headerFields[Self.connection])
    #expect(again.response?.headerFields[Self.connection] == number)
    let proxy = try #require(Peers.ntlmProxy)
    let unproved = try Self.session { $0.transport(transport).proxy(proxy) }
    for other in [unproved, try Self.ntlm(transport, "wrong")] {
      let response = await other.request(url).serializingString().response
      #expect(response.response?.status.code == 407)
      #expect(response.response?.headerFields[Self.connection] != number)
    }
    await transport.shutdown()
  }
}
