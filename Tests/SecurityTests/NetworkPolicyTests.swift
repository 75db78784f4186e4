import FoundationEssentials
import Glibc
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct NetworkPolicyTests {
  static let forbidden = [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.1.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1",
    "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]",
    "[::127.0.0.1]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[64:ff9b::a00:1]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:1::]", "[2001:db8::1]", "[::ffff:0:127.0.0.1]",
    "[::ffff:0:8.8.8.8]", "[64:ff9b:1::7f00:1]", "[64:ff9b:1:a00::1]", "[64:ff9b:0:1::808:808]",
    "[2606:4700::5efe:127.0.0.1]", "[2606:4700::200:5efe:10.0.0.1]", "[2002:808:808::1]", "[::8.8.8.8]", "[100::1]",
    "[5f00::1]", "[3fff::1]", "[4000::1]", "[::fffe:127.0.0.1]",
  ]

  private func error(_ session: Session, _ url: String) async -> LupineError? {
    await session.request(url).serializingData().response.error
  }

  @Test(arguments: forbidden)
  func `an address that is not public is refused before anything is sent`(host: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("secret"))
    let offline = try Session.Builder().transport(mock).clock(ImmediateClock()).networkPolicy(.publicInternetOnly)
      .build()
    #expect(await error(offline, "http://\(host)/")?.kind == .addressRefused)
    #expect(mock.requests.isEmpty)
    let real = try networkSession { $0.networkPolicy(.publicInternetOnly) }
    #expect(await error(real, "http://\(host):9/")?.kind == .addressRefused)
    await real.shutdown()
  }

  @Test(arguments: [
    "8.8.8.8", "93.184.215.14", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1", "64:ff9b::808:808",
    "::ffff:8.8.8.8", "2606:4700::5efe:8.8.8.8", "2a00::1",
  ])
  func `a public address is let through`(address: String) throws {
    #expect(NetworkPolicy.publicInternetOnly.allows(try #require(IPAddress(address))))
    #expect(!NetworkPolicy.loopbackOnly.allows(try #require(IPAddress(address))))
  }

  @Test(arguments: [
    "::ffff:10.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1", "::10.0.0.1", "2002:a00:1::1",
    "2001:0:0808:0808::f5ff:fffe", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:10.0.0.1",
  ])
  func `an address of IPv6 that leads to a denied one of IPv4 is denied with it`(address: String) throws {
    let denying = NetworkPolicy(otherwise: .allow).denying("10.0.0.0/8")
    #expect(!denying.allows(try #require(IPAddress(address))))
    #expect(NetworkPolicy(otherwise: .allow).denying("11.0.0.0/8").allows(try #require(IPAddress(address))))
  }

  @Test(arguments: ["::1", "127.0.0.1", "::ffff:127.0.0.1"])
  func `loopback's own addresses lead nowhere else`(address: String) throws {
    #expect(NetworkPolicy.loopbackOnly.allows(try #require(IPAddress(address))))
  }

  @Test func `a name that resolves to a forbidden address is refused at dial`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("secret")))
    let session = try networkSession { $0.networkPolicy(.publicInternetOnly) }
    #expect(await error(session, "http://localhost:\(server.port)/")?.kind == .addressRefused)
    let named = try networkSession {
      $0.networkPolicy(.publicInternetOnly).resolve("public.example.com", to: "127.0.0.1")
    }
    #expect(await error(named, "http://public.example.com:\(server.port)/")?.kind == .addressRefused)
    #expect(server.connectionCount == 0)
  }

  @Test func `the allowed address behind forbidden ones is dialled at once`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    // libcurl 7.88 would wait for half the connect timeout, which is longer than the total timeout.
    let session = try networkSession {
      $0.timeouts(connect: .seconds(60), total: .seconds(20))
        .networkPolicy(NetworkPolicy(otherwise: .deny).allowing("127.0.0.1"))
        .resolve("many.example.com", to: "10.255.255.1", "10.255.255.2", "10.255.255.3", "127.0.0.1")
    }
    #expect(await error(session, "http://many.example.com:\(server.port)/") == nil)
  }

  @Test func `of a name's addresses the one that is allowed is dialled`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let session = try networkSession {
      $0.networkPolicy(NetworkPolicy(otherwise: .deny).allowing("127.0.0.1"))
        .resolve("both.example.com", to: "10.255.255.1", "127.0.0.1")
    }
    #expect(await error(session, "http://both.example.com:\(server.port)/") == nil)
  }

  @Test(arguments: ["127.0.0.2", "inner.example.com", "[::ffff:127.0.0.2]"])
  func `a redirect to a forbidden address is refused`(host: String) async throws {
    let inner = try ScriptedServer(always: .respond(body: .text("secret")))
    let outer = try ScriptedServer(
      always: .respond(status: 302, fields: ["Location": "http://\(host):\(inner.port)/"]))
    let session = try networkSession {
      $0.networkPolicy(NetworkPolicy(otherwise: .allow).denying("127.0.0.2"))
        .resolve("inner.example.com", to: "127.0.0.2")
    }
    #expect(await error(session, outer.url)?.kind == .addressRefused)
    #expect(outer.requests.count == 1)
    #expect(inner.connectionCount == 0)
  }

  @Test func `an answer that changes between two resolutions is judged each time`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("x"))
    mock.resolves("rebind.example.com", to: ["93.184.215.14"], ["169.254.169.254"])
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).networkPolicy(.publicInternetOnly)
      .build()
    #expect(await error(session, "http://rebind.example.com/") == nil)
    #expect(await error(session, "http://rebind.example.com/")?.kind == .addressRefused)
  }

  @Test func `a connection of a session without a policy is not used`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let transport = TestTransport.make()
    let open = try Session.Builder().transport(transport).build()
    #expect(await error(open, server.url) == nil)
    let closed = try Session.Builder().transport(transport).networkPolicy(.publicInternetOnly).build()
    #expect(await error(closed, server.url)?.kind == .addressRefused)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["http://p:1", "https://p:1", "socks5h://p:1"])
  func `a policy beside a proxy that resolves names is refused at build`(proxy: String) throws {
    #expect { try networkSession { $0.networkPolicy(.publicInternetOnly).proxy(proxy) } } throws: { error in
      guard case .configuration(let issues) = (error as? LupineError)?.kind else { return false }
      return issues.map(\.part) == ["networkPolicy"]
    }
  }

  @Test func `behind a SOCKS proxy that is given addresses the policy judges them`() async throws {
    let closed = try ClosedPort()
    let session = try networkSession {
      $0.networkPolicy(.publicInternetOnly.allowing("10.1.1.1")).proxy("socks5://127.0.0.1:\(closed.port)")
        .resolve("inner.example.com", to: "10.0.0.1").resolve("allowed.example.com", to: "10.0.0.2", "10.1.1.1")
    }
    for host in ["127.0.0.1", "localhost", "inner.example.com", "[::ffff:10.0.0.1]"] {
      #expect(await error(session, "http://\(host)/")?.kind == .addressRefused)
    }
    // The policy allows an address of this host. The request fails because no proxy runs, and not by the policy.
    #expect(await error(session, "http://allowed.example.com/")?.kind == .proxyFailed)
  }

  @Test(arguments: [
    "http://a@127.0.0.1#@public.example.com/", "http://127.0.0.1\\@public.example.com/", "http://[fe80::1%25eth0]/",
    "http://0177.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://127.0.0.1:80:90/",
  ])
  func `a host that two parsers read in two ways never passes the policy`(url: String) async throws {
    let session = try networkSession { $0.networkPolicy(.publicInternetOnly) }
    let kind = await error(session, url)?.kind
    #expect(kind == .invalidURL || kind == .addressRefused)
  }

  @Test func `netrc is not read`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-netrc-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let home = ProcessInfo.processInfo.environment["HOME"] ?? "/"
    try Data("default login ali password geheim\n".utf8).write(to: folder.appending(path: ".netrc"))
    setenv("HOME", folder.path, 1)
    defer {
      setenv("HOME", home, 1)
      try? FileManager.default.removeItem(at: folder)
    }
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    #expect(await error(try networkSession(), server.url) == nil)
    #expect(server.requests.first?.fields["Authorization"] == nil)
  }
}
