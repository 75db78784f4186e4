import FoundationEssentials
import LupineFixtures
import Testing
import TransportSupport

/// The times at which root certificates are read, in a process whose clock the test advances.
///
/// The file with the server's root replaces the root file of the session, or adds to that file. The server closes each
/// connection.
@Suite(.overEachTransport) struct RootCertificateTests {
  private let folder: TemporaryFolder
  private let roots: String

  init() throws {
    folder = try TemporaryFolder()
    roots = try folder.write(try Self.fixture("root"), to: "roots.pem")
  }

  private static func fixture(_ name: String) throws -> String {
    try String(contentsOfFile: Fixture.path("Certificates/\(name).pem"), encoding: .utf8)
  }

  private func run(_ option: String, _ steps: String...) throws -> [String] {
    let server = try OpenSSLServer(certificate: "localhost")
    let other = Fixture.path("Certificates/Trust/other-root.pem")
    return try withExtendedLifetime(server) {
      try Program.run(
        "ConnectionProbe",
        [server.url] + TestTransport.probeSteps + ["roots \(other)", "\(option) \(roots)"] + steps)
    }
  }

  /// Runs steps with root certificates that variables of the environment name.
  private func run(in environment: [String], _ steps: String...) throws -> [String] {
    let server = try OpenSSLServer(certificate: "localhost")
    return try withExtendedLifetime(server) {
      try Program.run(
        "ConnectionProbe", [server.url] + TestTransport.probeSteps + steps,
        under: ["-u", "SSL_CERT_FILE", "-u", "SSL_CERT_DIR"] + environment)
    }
  }

  @Test func `all files in the folders of SSL_CERT_DIR are trusted, beside the file of SSL_CERT_FILE`() throws {
    let others = try folder.write(try Self.fixture("Trust/other-root"), to: "others/0a1b2c3d.0")
    try folder.write("no certificate", to: "others/README")
    let certificates = folder.file("certificates")
    try folder.write(try Self.fixture("root"), to: "certificates/root.crt")
    #expect(try run(in: ["SSL_CERT_DIR=/nowhere:\(certificates)"], "get") == ["new"])
    #expect(try run(in: ["SSL_CERT_DIR=\(certificates)", "SSL_CERT_FILE=\(others)"], "get") == ["new"])
    #expect(try run(in: ["SSL_CERT_DIR=\(folder.file("others"))", "SSL_CERT_FILE=\(roots)"], "get") == ["new"])
    #expect(try run(in: ["SSL_CERT_DIR=\(folder.file("others"))"], "get") == ["certificateRejected"])
    #expect(try run(in: ["SSL_CERT_DIR=/nowhere"], "get") == ["certificateAuthorities"])
  }

  @Test func `a file that is moved into a folder of SSL_CERT_DIR is trusted from the next connection on`() throws {
    try folder.write(try Self.fixture("Trust/other-root"), to: "certificates/other.pem")
    let certificates = folder.file("certificates")
    let lines = try run(in: ["SSL_CERT_DIR=\(certificates)"], "get", "move \(roots) \(certificates)/root.pem", "get")
    #expect(lines == ["certificateRejected", "new"])
  }

  @Test func `a change of a folder is noticed beside a folder that is missing`() throws {
    let certificates = folder.file("certificates")
    try folder.write(try Self.fixture("root"), to: "certificates/root.pem")
    try folder.write(try Self.fixture("Trust/other-root"), to: "certificates/other.pem")
    let away = "move \(certificates)/root.pem \(folder.file("away.pem"))"
    let lines = try run(in: ["SSL_CERT_DIR=\(certificates):/nowhere"], "get", away, "get")
    #expect(lines == ["new", "certificateRejected"])
  }

  @Test(arguments: ["roots", "more"])
  func `they are kept while their file is away, however long there is no connection`(_ option: String) throws {
    // The first `pool` step after the advance wakes the loop of the transport, which releases what it no longer needs.
    let lines = try run(
      option, "get", "move \(roots) \(folder.file("away"))", "get", "advance 100000", "pool", "pool", "get")
    #expect(lines == ["new", "new", "0 open", "0 open", "new"])
  }

  @Test(arguments: ["roots", "more"])
  func `they are read again if their file was replaced, and no earlier session is resumed`(
    _ option: String
  ) throws {
    let others = try folder.write(try Self.fixture("Trust/other-root"), to: "others.pem")
    let again = try folder.write(try Self.fixture("root"), to: "again.pem")
    let lines = try run(option, "get", "move \(others) \(roots)", "get", "get", "move \(again) \(roots)", "get")
    #expect(lines == ["new", "certificateRejected", "certificateRejected", "new"])
  }

  @Test(arguments: ["roots", "more"])
  func `a file without certificates is an error until it is repaired`(_ option: String) throws {
    let empty = try folder.write("", to: "empty.pem")
    let again = try folder.write(try Self.fixture("root"), to: "again.pem")
    let lines = try run(
      option, "get", "move \(empty) \(roots)", "get", "advance 3600", "get", "move \(again) \(roots)", "get")
    #expect(lines == ["new", "certificateAuthorities", "certificateAuthorities", "new"])
  }
}
