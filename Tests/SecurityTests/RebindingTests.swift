import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// Runs `ConnectionProbe` with a name whose addresses are those of the steps, in turn.
private func run(_ port: Int, _ steps: [String]) throws -> [String] {
  try Program.run("ConnectionProbe", ["http://rebind.example:\(port)/"] + TestTransport.probeSteps + steps)
}

private func server() throws -> ScriptedServer { try ScriptedServer(always: .respond(body: .text("secret"))) }

/// DNS rebinding, in a process whose resolver returns the answers of a test in turn.
@Suite(.overEachTransport) struct RebindingTests {
  @Test func `an answer that changes to a forbidden address is refused at dial`() throws {
    let server = try server()
    // libcurl caches an answer for a minute, the native transport for five seconds.
    let lines = try run(
      server.port,
      [
        "allow 127.0.0.1", "once", "answer 127.0.0.1", "answer 127.0.0.2", "get", "get", "lookups", "advance 61", "get",
        "get", "lookups",
      ])
    #expect(lines == ["new", "new", "1 lookups", "addressRefused", "addressRefused", "2 lookups"])
    #expect(server.requests.count == 2)
  }

  @Test func `a forbidden address is refused, and the name is looked up again later`() throws {
    let server = try server()
    let lines = try run(
      server.port,
      ["allow 127.0.0.1", "answer 127.0.0.2", "answer 127.0.0.1", "get", "advance 61", "get"])
    #expect(lines == ["addressRefused", "new"])
  }

  @Test func `a reused connection leads to the address that was checked`() throws {
    let server = try server()
    let lines = try run(
      server.port,
      ["allow 127.0.0.1", "idle 600", "answer 127.0.0.1", "answer 127.0.0.2", "get", "advance 61", "get", "lookups"])
    #expect(lines == ["new", "used again", "1 lookups"])
    #expect(server.connectionCount == 1)
  }

  @Test(.enabled(if: Peers.areRequired || Peers.dante != nil))
  func `a SOCKS proxy is given the very address that was judged`() throws {
    let server = try server()
    let proxy = "proxy socks5://\(try #require(Peers.dante))"
    let steps = [proxy, "allow 127.0.0.1", "once"]
    let lines = try run(
      server.port, steps + ["answer 127.0.0.1", "answer 127.0.0.2", "get", "lookups", "get", "lookups"])
    #expect(lines == ["new", "1 lookups", "addressRefused", "2 lookups"])
    #expect(server.requests.count == 1)
  }
}

/// The address of a connection that libcurl has made.
///
/// Over libcurl alone: the native transport dials each address itself, after it has checked the address.
@Suite struct ConnectedAddressTests {
  @Test func `if a connection leads to another address than the dialled one, nothing is sent`() throws {
    let server = try server()
    let lines = try run(server.port, ["allow 127.0.0.1", "answer 127.0.0.1", "peer 127.0.0.2", "get"])
    #expect(lines == ["addressRefused"])
    #expect(server.requests.isEmpty)
  }
}
