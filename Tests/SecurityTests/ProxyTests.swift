import FoundationEssentials
import Lupine
import LupineFixtures
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ProxyTests {
  private static let isRunning =
    Peers.areRequired || (Peers.squid != nil && Peers.dante != nil && Peers.nginxTLS != nil)

  private func error(_ session: Session, _ url: String) async -> LupineError? {
    await session.request(url).validate().serializingData().response.error
  }

  @Test(.enabled(if: isRunning))
  func `a proxy's credential stays with the proxy`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let proxy = try #require(Peers.squidForUsers).replacing("://", with: "://ali:open%20sesame@")
    let session = try networkSession { $0.proxy(proxy) }
    #expect(await error(session, server.url) == nil)
    let request = try #require(server.requests.first)
    #expect(request.fields["Via"]?.contains("squid") == true)
    #expect(request.fields["Proxy-Authorization"] == nil)
  }

  @Test func `a proxy's credential is not sent on the way without a proxy`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let session = try networkSession { $0.proxy("http://ali:geheim@127.0.0.1:9", except: ["127.0.0.1"]) }
    var request = try OutgoingRequest(server.url)
    request.headers[.proxyAuthorization] = "Basic Z2VoZWlt"
    #expect(await session.request(request).serializingData().response.error == nil)
    #expect(!String(decoding: try #require(server.requests.first).rawHead, as: UTF8.self).contains("Proxy-Auth"))
  }

  @Test func `two proxies, or two users of one, share no connection`() async throws {
    let (first, second) = (try echo(), try echo())
    let transport = TestTransport.make()
    for (proxy, user) in [(first, "ali"), (first, "eve"), (second, "ali"), (first, "ali")] {
      let url = proxy.url.replacing("://", with: "://\(user):x@")
      let session = try Session.Builder().transport(transport).proxy(url).build()
      #expect(await error(session, "http://a.example.com/") == nil)
    }
    #expect(first.connectionCount == 2 && second.connectionCount == 1)
    let users = first.requests.map { $0.fields["Proxy-Authorization"] ?? "" }
    #expect(users[0] == users[2] && users[0] != users[1])
    #expect(first.requests.allSatisfy { $0.target == "http://a.example.com/" })
  }

  private func echo() throws -> ScriptedServer { try ScriptedServer(always: .respond(body: .text("x"))) }

  @Test(
    .enabled(if: isRunning),
    arguments: [
      Peers.squid, Peers.squidTLS, Peers.dante.map { "socks5://\($0)" }, Peers.dante.map { "socks5h://\($0)" },
    ])
  func `pins and verification hold through a proxy`(proxy: String?) async throws {
    let proxy = try #require(proxy)
    let url = try #require(Peers.nginxTLS) + "/hello"
    let roots = Fixture.path("Certificates/root.pem")
    let host = "localhost"
    let origin = try #require(HTTPURL(url).port)
    let trusting = try networkSession { $0.proxy(proxy).certificateAuthorities(roots) }
    #expect(await error(trusting, url) == nil)
    let foreign = try networkSession {
      $0.proxy(proxy).certificateAuthorities(Fixture.path("Certificates/Trust/root.pem"))
    }
    #expect(await error(foreign, url)?.kind == .certificateRejected)
    let pinned = try networkSession {
      $0.proxy(proxy).certificateAuthorities(roots).trust(["\(host):\(origin)": .publicKeys(.ofPeers)])
    }
    #expect(await error(pinned, url) == nil)
    let wrong = try networkSession {
      $0.proxy(proxy).certificateAuthorities(roots).trust(["\(host):\(origin)": .publicKeys(.ofNobody)])
    }
    for _ in 1...2 { #expect(await error(wrong, url)?.kind == .certificateRejected) }
    // The same machine, under an address that is not in the certificate.
    let wrongName = url.replacing("localhost", with: "[::ffff:127.0.0.1]")
    #expect(await error(trusting, wrongName)?.kind == .certificateRejected)
  }

  @Test(.enabled(if: isRunning))
  func `the proxy's own certificate is judged, by its own rules`() async throws {
    let proxy = try #require(Peers.squidTLS)
    let port = try #require(HTTPURL(proxy).port)
    let url = try #require(Peers.nginx) + "/hello"
    let roots = Fixture.path("Certificates/root.pem")
    let foreign = try networkSession {
      $0.proxy(proxy).certificateAuthorities(Fixture.path("Certificates/Trust/root.pem"))
    }
    #expect(await error(foreign, url)?.kind == .certificateRejected)
    let pinned = try networkSession {
      $0.proxy(proxy).certificateAuthorities(roots).trust(["localhost:\(port)": .publicKeys(.ofPeers)])
    }
    #expect(await error(pinned, url) == nil)
    let wrong = try networkSession {
      $0.proxy(proxy).certificateAuthorities(roots).trust(["localhost:\(port)": .publicKeys(.ofNobody)])
    }
    let refused = await error(wrong, url)
    #expect(refused?.kind == .certificateRejected && refused?.message.contains("proxy") == true)
    let wrongName = try networkSession {
      $0.proxy("https://[::ffff:127.0.0.1]:\(port)").certificateAuthorities(roots)
    }
    #expect(await error(wrongName, url)?.kind == .certificateRejected)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["http", "socks5", "socks5h"], ["http", "https"])
  func `a proxy that hangs is an error in bounded time`(proxy: String, scheme: String) async throws {
    let port = try SilentPort()
    let session = try networkSession(total: .seconds(5)) {
      $0.proxy("\(proxy)://127.0.0.1:\(port.port)").timeouts(connect: .milliseconds(200), idle: .milliseconds(400))
    }
    let kind = await error(session, "\(scheme)://127.0.0.1:9/")?.kind
    #expect(kind == .timedOut(.connect) || kind == .timedOut(.idle))
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["http", "https"])
  func `a proxy that always answers 407 receives one request`(scheme: String) async throws {
    let challenge = ScriptedReply.respond(
      status: 407, fields: ["Proxy-Authenticate": "Basic realm=x, Digest realm=y, nonce=z"], body: .text("who?"))
    let proxy = try ScriptedServer(always: challenge)
    for user in ["", "ali:x@"] {
      let session = try networkSession { $0.proxy(proxy.url.replacing("://", with: "://\(user)")) }
      let before = proxy.requests.count
      #expect(await error(session, "\(scheme)://a.example.com/")?.kind == .unacceptableStatusCode(407))
      #expect(proxy.requests.count == before + 1)
    }
  }

  @Test(arguments: [302, 401, 502], [false, true])
  func `a proxy's response to CONNECT is neither followed nor answered as the server's`(
    status: Int, isHedged: Bool
  ) async throws {
    let elsewhere = try ScriptedServer(always: .respond(body: .text("evil")))
    let proxy = try ScriptedServer(
      always: .respond(
        status: status,
        fields: ["Location": elsewhere.url, "WWW-Authenticate": "Basic realm=x", "Content-Encoding": "gzip"],
        body: .text("not gzip")))
    let tokens = TokenServer()
    var hedging = Hedging(delay: .seconds(3600))
    hedging.badStatusCodes = []
    let session = try networkSession {
      let builder = $0.proxy(proxy.url).install(
        AuthenticationInterceptor(tokens, credential: OldToken(text: "old"), to: .anyOrigin))
      return isHedged ? builder.install(hedging) : builder
    }
    let response = await session.request("https://a.example.com/").authenticate(username: "ali", password: "geheim")
      .serializingData().response
    #expect(response.response?.status.code == status)
    #expect(proxy.requests.count == 1 && elsewhere.connectionCount == 0)
    #expect(proxy.requests.first?.fields["Authorization"] == nil)
    #expect(tokens.count == 0)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["garbage", "close", "endless"])
  func `a proxy that breaks off or sends rubbish is a named error`(fault: String) async throws {
    let replies: [String: ScriptedReply] = [
      "garbage": .garbage, "close": .closeBeforeHead, "endless": .endlessFields,
    ]
    let proxy = try ScriptedServer(always: try #require(replies[fault]))
    let session = try networkSession(total: .seconds(5)) { $0.proxy(proxy.url) }
    let kind = await error(session, "https://a.example.com/")?.kind
    #expect([.proxyFailed, .malformedResponse, .limitExceeded(.responseFieldCount)].contains(kind))
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["socks5", "socks5h"], ["http", "https"])
  func `a SOCKS proxy that sends rubbish is a named error`(proxy: String, scheme: String) async throws {
    // The server sends bytes of its own as soon as a client connects.
    let place = try FaultServer(.tlsRefused)
    let session = try networkSession(total: .seconds(5)) { $0.proxy(place.url.replacing("https", with: proxy)) }
    let failure = await error(session, "\(scheme)://127.0.0.1:9/")
    #expect(failure?.kind == .proxyFailed)
    #expect(failure?.message.contains("The proxy \(proxy)://127.0.0.1") == true)
  }
}
