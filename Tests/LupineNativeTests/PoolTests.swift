import HTTPTypes
import LupineCore
import LupineNative
import LupineTesting
import Testing
import TransportSupport

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

  @Test func `a connection that is older than its lifetime is not reused`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    var client = Client.native()
    client.options.lifetime = .zero
    for _ in 1...2 { _ = try await client.fetch(server.url) }
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test func `an idle connection gives its place to another one`() async throws {
    let servers = try (1...3).map { _ in try ScriptedServer(always: .respond(body: .text("x"))) }
    var configuration = NativeTransport.Configuration()
    configuration.connections = 2
    let client = Client.native(configuration)
    for server in servers { _ = try await client.fetch(server.url) }
    try await servers[0].waitForOpenConnections(0)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 2, idle: 2))
    await client.transport.shutdown()
  }
}
