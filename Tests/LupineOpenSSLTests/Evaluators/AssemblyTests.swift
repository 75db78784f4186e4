import FoundationEssentials
import LupineCore
import LupineSession
import LupineMock
import LupineOpenSSL
import Testing
import TrustSupport

@Suite struct AssemblyTests {
  private func reasons(_ evaluator: any TrustEvaluator) -> [String] {
    do throws(LupineError) {
      _ = try Session.Builder().transport(MockTransport()).trust(["example.com": evaluator]).build()
      return []
    } catch {
      guard case .configuration(let issues) = error.kind else { return [] }
      return issues.map(\.reason)
    }
  }

  @Test(arguments: [
    PublicKeys([]), ["sha256/AAAA"], ["md5/AAAA"], [""], .keyFile(Pki.path("root.crl.pem")),
    .keyFile("/nowhere"), .certificates(.file(Pki.path("valid.key.pem"))),
  ])
  func `invalid or unreadable keys are refused when the session is built`(_ keys: PublicKeys) {
    #expect(!reasons(.publicKeys(keys)).isEmpty)
  }

  @Test(arguments: [
    Certificates([]), .file("/nowhere"), .folder("/nowhere"), .file(Pki.path("valid.key.pem")),
    Certificates(Data([0x30])),
    .file(Pki.path("make")),
  ])
  func `invalid or unreadable certificates are refused when the session is built`(
    _ certificates: Certificates
  ) {
    #expect(!reasons(.pinnedCertificates(certificates)).isEmpty)
  }

  @Test func `one bad pin among good ones is refused`() throws {
    let reasons = reasons(.publicKeys([try Pki.pin("valid"), "sha256/short"]))
    #expect(reasons.contains { $0.contains("sha256/short") && $0.contains("example.com") })
  }

  @Test func `an empty composite, and one with a bad part, are refused`() {
    #expect(!reasons(.all([])).isEmpty)
    #expect(!reasons(.all([.default, .publicKeys([])])).isEmpty)
    #expect(!reasons(.audit(.publicKeys([]))).isEmpty)
  }

  @Test func `revocation that looks at nothing is refused`() {
    #expect(!reasons(.revocation([.requirePositiveResponse])).isEmpty)
    #expect(!reasons(.revocation([.crl, .requirePositiveResponse])).isEmpty)
    #expect(!reasons(.revocation(.any, revocationLists: .file("/nowhere"))).isEmpty)
  }

  @Test func `a single pin is a warning, two are not`() throws {
    let one = try Session.Builder().transport(MockTransport())
      .trust(["example.com": .publicKeys([try Pki.pin("valid")])]).build()
    #expect(one.warnings.contains { $0.reason.contains("example.com") && $0.reason.contains("backup") })
    let two = try Session.Builder().transport(MockTransport())
      .trust(["example.com": .publicKeys([try Pki.pin("valid"), try Pki.pin("backup")])]).build()
    #expect(two.warnings.isEmpty)
  }

  @Test(arguments: [(-1, nil), (1, "expires in 29 days"), (31, "has expired")] as [(Int, String?)])
  func `a pinned certificate that has expired at the session's date, or will in a month, is a warning`(
    _ day: Int, _ expected: String?
  ) throws {
    let file = Certificates.file(Pki.path("expired.pem"))
    let notice = try #require(file.certificates.first).notAfter.addingTimeInterval(-30 * 86_400)
    let session = try Session.Builder().transport(MockTransport())
      .now { notice.addingTimeInterval(TimeInterval(day) * 86_400) }
      .trust(["example.com": .pinnedCertificates(file)]).build()
    let reasons = session.warnings.map(\.reason).filter { $0.contains("expire") }
    #expect(reasons.count == (expected == nil ? 0 : 1))
    #expect(reasons.allSatisfy { $0.contains(expected ?? "") })
  }

  @Test func `client certificates and TLS versions need a transport that can`() {
    let builder = Session.Builder().transport(MockTransport()).clientCertificate(.pem("/nowhere"))
      .tlsVersions(minimum: .tls1_3, maximum: .tls1_2)
    do throws(LupineError) {
      _ = try builder.build()
      Issue.record("it was built")
    } catch {
      guard case .configuration(let issues) = error.kind else {
        Issue.record(error)
        return
      }
      #expect(issues.map(\.part) == ["clientCertificate", "tlsVersions", "tlsVersions"])
    }
  }
}
