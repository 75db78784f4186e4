import Lupine
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct IdentityTests {
  private func count(_ changes: [(Session.Builder) -> Session.Builder], _ url: String, _ server: ScriptedServer)
    async throws
  {
    let transport = TestTransport.make()
    for change in changes + changes {
      let session = try change(Session.Builder().transport(transport)).build()
      #expect(await session.request(url).serializingData().response.error == nil)
    }
    #expect(server.connectionCount == changes.count)
    await transport.shutdown()
  }

  @Test func `another resolver override, local address or policy is another connection`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    try await count(
      [
        { $0.resolve("a.example.com", to: "127.0.0.1") },
        { $0.resolve("a.example.com", to: "127.0.0.1").resolve("b.example.com", to: "127.0.0.2") },
        { $0.resolve("a.example.com", to: "127.0.0.1").localAddress("127.0.0.3") },
        { $0.resolve("a.example.com", to: "127.0.0.1").localAddress("127.0.0.4") },
        { $0.resolve("a.example.com", to: "127.0.0.1").networkPolicy(.loopbackOnly) },
      ], "http://a.example.com:\(server.port)/", server)
  }

  @Test func `another proxy, or another user of it, is another connection`() async throws {
    let proxy = try ScriptedServer(always: .respond(body: .text("x")))
    let place = proxy.url.dropFirst("http://".count)
    try await count(
      [
        { $0.proxy("http://\(place)") }, { $0.proxy("http://ali:a@\(place)") }, { $0.proxy("http://ali:b@\(place)") },
        { $0.proxy("http://eve:a@\(place)") }, { $0.proxy("http://localhost:\(proxy.port)") },
      ], "http://a.example.com/", proxy)
  }

  @Test func `another Unix-domain socket is another connection`() async throws {
    let (first, second) = (UnixPath(), UnixPath())
    let servers = try [first, second].map { path in
      try ScriptedServer(.unix(path: path.text)) { _ in .respond(body: .text(path.text)) }
    }
    let transport = TestTransport.make()
    for path in [first, second, first, second] {
      let session = try Session.Builder().transport(transport).unixSocket(path.text).build()
      #expect(await session.request("http://a/").serializingString().response.value == path.text)
    }
    #expect(servers.map(\.connectionCount) == [1, 1])
    await transport.shutdown()
  }

  @Test func `the local address is what the server sees`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let session = try networkSession { $0.localAddress("127.0.0.5") }
    #expect(await session.request(server.url).serializingData().response.error == nil)
    let wrong = try networkSession { $0.localAddress("192.0.2.1") }
    #expect(await wrong.request(server.url).serializingData().response.error?.kind == .connectionFailed)
  }
}

private struct UnixPath: Sendable {
  let text = "/tmp/lupine-\(UInt64.random(in: 0 ... .max)).sock"
}
