import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// The lifetimes of connections, in a process whose clock the test advances.
///
/// libcurl counts whole seconds of that clock.
@Suite(.overEachTransport) struct LifetimeTests {
  private func run(_ server: ScriptedServer, _ steps: String...) throws -> [String] {
    try Program.run("ConnectionProbe", [server.url] + TestTransport.probeSteps + steps)
  }

  private func server() throws -> ScriptedServer { try ScriptedServer(always: .respond(body: .text("x"))) }

  @Test func `a connection that has lain idle for longer than its idle lifetime is not used again`() throws {
    let server = try server()
    let lines = try run(server, "idle 10", "get", "advance 8", "get", "advance 8", "get", "advance 13", "get")
    #expect(lines == ["new", "used again", "used again", "new"])
    #expect(server.connectionCount == 2)
  }

  @Test func `a connection that is older than its lifetime is not used again, however busy it was`() throws {
    let server = try server()
    let lines = try run(server, "lifetime 20", "get", "advance 8", "get", "advance 8", "get", "advance 8", "get")
    #expect(lines == ["new", "used again", "used again", "new"])
    #expect(server.connectionCount == 2)
  }

  @Test func `idle connections are kept for 90 seconds by default, and then closed`() throws {
    let server = try server()
    // The first `pool` step after the advance wakes the loop of the transport, which then closes the connection.
    let lines = try run(server, "get", "advance 80", "get", "advance 100", "pool", "empty", "get")
    #expect(lines == ["new", "used again", "1 open", "empty", "new"])
    #expect(server.connectionCount == 2)
  }

  @Test func `connections are used for an hour by default`() throws {
    let server = try server()
    let lines = try run(
      server, "idle 100000", "get", "advance 3500", "get", "advance 200", "get")
    #expect(lines == ["new", "used again", "new"])
    #expect(server.connectionCount == 2)
  }
}
