import FoundationEssentials
import LupineFixtures
import Testing

/// When root certificates are read, in a process whose clock the test moves; the server ends each connection.
@Suite struct RootCertificateTests {
  private func run(_ steps: (_ roots: String) -> [String]) throws -> [String] {
    let server = try OpenSSLServer(certificate: "localhost")
    let folder = try TemporaryFolder()
    let roots = try folder.write(
      try String(contentsOfFile: Fixture.path("Certificates/root.pem"), encoding: .utf8), to: "roots.pem")
    return try withExtendedLifetime((server, folder)) {
      try Program.run("ConnectionProbe", [server.url, "roots \(roots)"] + steps(roots))
    }
  }

  @Test func `they are read once, however long there is no connection`() throws {
    // The first look after the leap wakes the transport's loop, which lets go of all it needs no more.
    let lines = try run { ["get", "empty \($0)", "advance 3600", "pool", "pool", "get"] }
    #expect(lines == ["new", "0 open", "0 open", "new"])
  }

  @Test func `they are read again after a day`() throws {
    let lines = try run { ["get", "empty \($0)", "advance 86000", "get", "advance 500", "get"] }
    #expect(lines == ["new", "new", "certificateAuthorities"])
  }
}
