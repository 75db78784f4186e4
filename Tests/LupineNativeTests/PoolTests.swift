import HTTPTypes
import LupineCore
import LupineFixtures
import LupineNative
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

@Suite(.timeLimit(.minutes(1))) struct PoolTests {
  @Test func `an idle connection that the peer closes is closed at once`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { _ in
      ScriptedReply(ScriptedReply.respond(body: .text("x")).steps + [.wait(gate), .close])
    }
    let client = Client.native()
    _ = try await client.fetch(server.url)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 1, idle: 1))
    gate.open()
    try await server.waitForOpenConnections(0)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test(arguments: [false, true])
  func `an idle connection that receives bytes is closed at once`(isSecured: Bool) async throws {
    let gate = Gate()
    let server = try ScriptedServer { request in
      guard request.target != "/next" else { return .respond(body: .text("next")) }
      let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
      return ScriptedReply([.head(status: 204), .wait(gate), .raw(text: forged)], connection: .keep)
    }
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    var configuration = NativeTransport.Configuration()
    configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    let client = Client.native(configuration)
    let place = isSecured ? "https://127.0.0.1:\(relay.port)" : server.url
    _ = try await client.fetch(place + "/first")
    gate.open()
    try await server.waitForOpenConnections(0)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    #expect(try await client.fetch(place + "/next").text == "next")
    await client.transport.shutdown()
  }

  @Test func `a connection that is older than its lifetime is not reused`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    var client = Client.native()
    client.options.lifetime = .zero
    for _ in 1...2 { _ = try await client.fetch(server.url) }
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }

  /// With three loops, the idle connections may be on other loops than the new one, and any of them gives its place.
  @Test(arguments: [1, 3])
  func `an idle connection gives its place to another one`(loops: Int) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    var network = NetworkSettings()
    network.connections = 2
    let client = Client.native(loops: loops, network)
    for host in ["127.0.0.1", "localhost", "localhost."] {
      _ = try await client.fetch("http://\(host):\(server.port)/")
    }
    #expect(server.connectionCount == 3)
    try await server.waitForOpenConnections(2)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 2, idle: 2))
    await client.transport.shutdown()
  }
}
