import HTTPTypes
import LupineCore
import LupineFixtures
import LupineCurl
import LupineSession
import Testing
import TransportSupport

/// Requests through squid and dante, which are proxies of other projects.
@Suite(.overEachTransport, .enabled(if: Peers.squid != nil || Peers.areRequired), .timeLimit(.minutes(1)))
struct RealProxyTests {
  private func session(_ proxy: String?, _ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    let builder = Session.Builder().transport(.curl).certificateAuthorities(Fixture.path("Certificates/root.pem"))
      .timeouts(total: .seconds(20))
    return try change(builder.proxy(try #require(proxy))).build()
  }

  private static var socks: [String?] { Peers.dante.map { ["socks5://\($0)", "socks5h://\($0)"] } ?? [nil] }
  private static var all: [String?] { [Peers.squid, Peers.squidTLS] + socks }

  @Test(arguments: all)
  func `a plain request goes through each kind of proxy`(proxy: String?) async throws {
    let session = try session(proxy)
    let url = try #require(Peers.nginx) + "/hello"
    for isReused in [false, true] {
      let response = await session.request(url).serializingString().response
      #expect(response.value == "Hello from nginx\n")
      #expect(response.metrics.isConnectionReused == isReused)
      let port = try #require(proxy?.split(separator: ":").last)
      #expect(response.metrics.remoteAddress?.hasSuffix(":\(port)") == true)
    }
    await session.shutdown()
  }

  @Test(arguments: all, [ProtocolVersion.http1_1, .http2])
  func `TLS goes through each kind of proxy, end to end`(proxy: String?, version: ProtocolVersion) async throws {
    let session = try session(proxy)
    var request = try OutgoingRequest(try #require(Peers.nginxTLS) + "/protocol")
    request.options.version = version
    for isReused in [false, true] {
      let response = await session.request(request).serializingString().response
      #expect(response.value == "\(version == .http2 ? "HTTP/2.0" : "HTTP/1.1") TLSv1.3\n")
      #expect(response.metrics.isConnectionReused == isReused && response.metrics.tls != nil)
    }
    await session.shutdown()
  }

  @Test(arguments: [Peers.squid] + socks)
  func `a server that is not trusted is refused behind a proxy`(proxy: String?) async throws {
    let session = try Session.Builder().transport(.curl).proxy(try #require(proxy)).build()
    let error = await session.request(try #require(Peers.nginxTLS) + "/hello").serializingData().response.error
    #expect(error?.kind == .certificateRejected)
    await session.shutdown()
  }

  @Test func `an HTTPS proxy that is not trusted receives nothing`() async throws {
    let session = try Session.Builder().transport(.curl).proxy(try #require(Peers.squidTLS)).build()
    for url in [Peers.nginx, Peers.nginxTLS] {
      let error = await session.request(try #require(url) + "/hello").serializingData().response.error
      #expect(error?.kind == .certificateRejected && error?.message.contains("proxy") == true)
    }
    await session.shutdown()
  }

  @Test(arguments: [Peers.nginx, Peers.nginxTLS])
  func `squid receives the credential of the user`(server: String?) async throws {
    let (proxy, url) = (try #require(Peers.squidForUsers), try #require(server) + "/hello")
    let known = try session(proxy.replacing("://", with: "://ali:open%20sesame@"))
    #expect(await known.request(url).serializingString().response.value == "Hello from nginx\n")
    for unknown in ["://", "://ali:wrong@"] {
      let session = try session(proxy.replacing("://", with: unknown))
      let response = await session.request(url).validate().serializingData().response
      #expect(response.error?.kind == .unacceptableStatusCode(407))
      #expect(response.response?.headerFields[.proxyAuthenticate]?.contains("Lupine") == true)
      await session.shutdown()
    }
    await known.shutdown()
  }

  @Test(arguments: all)
  func `a body of 8 MiB arrives whole through each kind of proxy`(proxy: String?) async throws {
    let session = try session(proxy)
    for server in [Peers.nginx, Peers.nginxTLS] {
      let headers: HTTPFields = [.range: "bytes=0-\((8 << 20) - 1)"]
      let response = await session.request(try #require(server) + "/big.bin", headers: headers).validate()
        .serializingData().response
      #expect(response.data?.count == 8 << 20)
      let upload = try OutgoingRequest(
        try #require(server) + "/echo-size", method: .post, body: .text(String(repeating: "x", count: 1 << 20)))
      #expect(await session.request(upload).serializingString().response.value == "\(1 << 20)\n")
    }
    await session.shutdown()
  }
}
