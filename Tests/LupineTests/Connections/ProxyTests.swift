import Lupine
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// Requests through squid and dante, which are proxies of other projects.
@Suite(.overEachTransport, .besidePeers) struct ProxyTests {
  private func session(_ proxy: String?, _ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    let proxy = try #require(proxy, "this proxy is not running: run the tests beside Tests/Support/Peers/with-peers")
    let builder = Session.Builder().transport(.curl).standardDefaults()
      .certificateAuthorities(Fixture.path("Certificates/root.pem"))
      .timeouts(total: .seconds(20))
    return try change(builder.proxy(proxy)).build()
  }

  private static var socks: [String?] { Peers.dante.map { ["socks5://\($0)", "socks5h://\($0)"] } ?? [nil] }
  private static var all: [String?] { [Peers.squid, Peers.squidTLS] + socks }

  @Test(arguments: all)
  func `a plain request goes through each kind of proxy`(proxy: String?) async throws {
    let session = try session(proxy)
    for isReused in [false, true] {
      let response = await session.request(try Peer.nginx.url + "/hello").serializingString().response
      #expect(response.value == "Hello from nginx\n")
      #expect(response.metrics.isConnectionReused == isReused)
      let port = try #require(proxy?.split(separator: ":").last)
      #expect(response.metrics.remoteAddress == "127.0.0.1:\(port)")
    }
  }

  @Test(arguments: all, [ProtocolVersion.http1_1, .http2])
  func `TLS goes through each kind of proxy, end to end`(proxy: String?, version: ProtocolVersion) async throws {
    let session = try session(proxy) { $0.httpVersion(version) }
    for isReused in [false, true] {
      let response = await session.request(try Peer.nginxTLS.url + "/protocol").serializingString().response
      #expect(response.value == "\(version == .http2 ? "HTTP/2.0" : "HTTP/1.1") TLSv1.3\n")
      #expect(response.metrics.isConnectionReused == isReused && response.metrics.tls != nil)
    }
  }

  @Test(arguments: [Peers.squid] + socks)
  func `a server that is not trusted is refused behind a proxy`(proxy: String?) async throws {
    let session = try Session.Builder().transport(.curl).standardDefaults().proxy(try #require(proxy)).build()
    let error = await session.request(try Peer.nginxTLS.url + "/hello").serializingData().response.error
    #expect(error?.kind == .certificateRejected)
  }

  @Test func `an HTTPS proxy that is not trusted receives nothing`() async throws {
    let session = try Session.Builder().transport(.curl).standardDefaults().proxy(try #require(Peers.squidTLS)).build()
    for server in [Peer.nginx, .nginxTLS] {
      let error = await session.request(try server.url + "/hello").serializingData().response.error
      #expect(error?.kind == .certificateRejected && error?.message.contains("proxy") == true)
    }
  }

  @Test(arguments: all)
  func `a body of 8 MiB arrives whole through each kind of proxy`(proxy: String?) async throws {
    let session = try session(proxy)
    for server in [Peer.nginx, .nginxTLS] {
      let headers: RequestHeaders = [.range: "bytes=0-\((8 << 20) - 1)"]
      let response = await session.request(try server.url + "/big.bin", headers: headers).validate()
        .serializingData().response
      #expect(response.data?.count == 8 << 20)
      let upload = try OutgoingRequest(
        try server.url + "/echo-size", method: .post, body: .text(String(repeating: "x", count: 1 << 20)))
      #expect(await session.request(upload).serializingString().response.value == "\(1 << 20)\n")
    }
  }

  @Test func `a forwarded body arrives whole`() async throws {
    let body = String(repeating: "lupine ", count: 50_000)
    var request = try OutgoingRequest(try Peer.httpbin.url + "/post", method: .post)
    request.body = .text(body)
    let echo = try await (try session(Peers.squid)).request(request).serializingDecodable(Echo.self).value
    #expect(echo.data == body)
  }

  @Test(arguments: ["http", "https"])
  func `a proxy receives the credential of the user`(scheme: String) async throws {
    let url = try scheme == "http" ? Peer.nginx.url : Peer.nginxTLS.url
    let proxy = try #require(Peers.squidForUsers)
    let known = try session(proxy.replacing("://", with: "://ali:open%20sesame@"))
    #expect(await known.request(url + "/hello").serializingString().response.value == "Hello from nginx\n")
    for unknown in ["://", "://ali:wrong@", "://eve:open%20sesame@"] {
      let session = try session(proxy.replacing("://", with: unknown))
      let response = await session.request(url + "/hello").validate().serializingData().response
      #expect(response.error?.kind == .unacceptableStatusCode(407))
      #expect(response.response?.headerFields[.proxyAuthenticate]?.contains("Lupine") == true)
    }
  }

  @Test func `a proxy's refusal to connect is the response`() async throws {
    let response = await (try session(Peers.squid)).request("https://forbidden.invalid/").serializingData().response
    #expect(response.response?.status.code == 403)
    #expect(response.data?.isEmpty != false)
  }

  @Test func `hosts on the list are reached without the proxy`() async throws {
    let closed = try ClosedPort()
    let builder = Session.Builder().transport(.curl).standardDefaults().timeouts(total: .seconds(20))
    let direct = try builder.proxy(closed.url, except: ["127.0.0.0/8"]).build()
    #expect(await direct.request(try Peer.nginx.url + "/hello").serializingString().response.error == nil)
    let error = await (try builder.proxy(closed.url).build()).request(try Peer.nginx.url).serializingData().response
      .error
    #expect(error?.kind == .proxyFailed)
  }

  @Test func `a SOCKS proxy that cannot reach the server is an error of kind proxyFailed`() async throws {
    let closed = try ClosedPort()
    let proxy = Peers.dante.map { "socks5h://\($0)" }
    let error = await (try session(proxy)).request(closed.url).serializingData().response.error
    #expect(error?.kind == .proxyFailed)
  }

  @Test(arguments: [false, true])
  func `the next address of a host is tried if one refuses, with and without a SOCKS proxy`(
    isProxied: Bool
  ) async throws {
    let session = try loopback(isProxied) { $0.resolve("localhost", to: "127.0.0.2", "127.0.0.3", "127.0.0.1") }
    let server = try ScriptedServer(always: .respond(body: .text("welcome")))
    let pieces = AsyncStream<[UInt8]> { pieces in
      pieces.yield(Array("content".utf8))
      pieces.finish()
    }
    let request = try OutgoingRequest("http://localhost:\(server.port)/", method: .post, body: .oneShot(pieces))
    #expect(await session.request(request).serializingString().response.value == "welcome")
    #expect(server.requests.map(\.bodyText) == ["content"])
    let secured = await session.request(try Peer.nginxTLS.url + "/hello").serializingString().response
    #expect(secured.value == "Hello from nginx\n")
  }

  @Test func `a host none of whose addresses a SOCKS proxy reaches is an error that names the last`() async throws {
    let closed = try ClosedPort()
    let session = try loopback(true) { $0.resolve("localhost", to: "127.0.0.2", "127.0.0.3") }
    let error = await session.request("http://localhost:\(closed.port)/").serializingData().response.error
    #expect(error?.kind == .proxyFailed)
    #expect(error?.message.contains("127.0.0.3") == true)
  }

  /// Makes a session that resolves names itself, because its network policy checks the addresses.
  private func loopback(_ isProxied: Bool, _ change: (Session.Builder) -> Session.Builder) throws -> Session {
    // Half the connect timeout exceeds the total timeout, so the third address is in time only after two refusals.
    let builder = change(
      Session.Builder().transport(.curl).standardDefaults().timeouts(connect: .seconds(60), total: .seconds(20))
    )
    .networkPolicy(.loopbackOnly).certificateAuthorities(Fixture.path("Certificates/root.pem"))
    return try isProxied ? builder.proxy("socks5://\(try #require(Peers.dante))").build() : builder.build()
  }

  private struct Echo: Decodable, Sendable { let data: String }
}
