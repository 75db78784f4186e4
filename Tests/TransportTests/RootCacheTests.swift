import FoundationEssentials
import LupineCore
import LupineCurl
import LupineFixtures
import LupineSession
import LupineTLS
import Testing
import TransportSupport

/// The files of root certificates: unchanged files are read once, changed files are read again.
@Suite(.overEachTransport) struct RootCacheTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(try Self.fixture("root"), to: "roots.pem")
  }

  private static func fixture(_ name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: Fixture.path("Certificates/\(name).pem")))
  }

  private func files(additional: String? = nil) -> RootFiles {
    var connectionKey = ConnectionKey(certificateAuthorities: path)
    connectionKey.additionalCertificateAuthorities = additional
    return RootFiles(connectionKey, fallback: nil)
  }

  @Test(arguments: [nil, Fixture.path("Certificates/Trust/root.pem")])
  func `files that are the same are read once`(_ additional: String?) throws {
    var cache = RootCache()
    let first = try cache.roots(in: files(additional: additional))
    let second = try cache.roots(in: files(additional: additional))
    #expect(first === second)
  }

  @Test func `a file that was replaced is read again once`() throws {
    var cache = RootCache()
    let first = try cache.roots(in: files())
    try folder.write(try Self.fixture("root") + Self.fixture("Trust/root"), to: "roots.pem")
    let second = try cache.roots(in: files())
    let third = try cache.roots(in: files())
    #expect(first !== second)
    #expect(second === third)
  }

  @Test func `a file that was never read has to be there`() throws {
    try FileManager.default.removeItem(atPath: path)
    var cache = RootCache()
    let error = #expect(throws: LupineError.self) { try cache.roots(in: files()) }
    #expect(error?.message.contains("\(path) cannot be read: No such file or directory.") == true)
    #expect(error?.message.contains("The program set it with certificateAuthorities.") == true)
  }

  @Test func `files that cannot be read are refused when the session is built`() throws {
    let builder = Session.Builder().transport(.curl)
    let error = #expect(throws: LupineError.self) {
      try builder.certificateAuthorities("/no/such.pem").additionalCertificateAuthorities("/nor/this.pem").build()
    }
    guard case .configuration(let issues)? = error?.kind else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(issues.map(\.part) == ["certificateAuthorities", "additionalCertificateAuthorities"])
    #expect(issues.first?.reason.contains("/no/such.pem cannot be read: No such file or directory") == true)
    _ = try builder.certificateAuthorities(path).build()
  }
}
