import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineOpenSSL
import Testing
import TrustSupport

@Suite struct PinningTests {
  @Test(arguments: ["valid", "intermediate", "root"])
  func `a pinned key anywhere in the verified chain is trusted`(_ name: String) async throws {
    let pins = PublicKeys([try Pki.pin(name), try Pki.pin("backup")])
    #expect(try await Offline("valid").check(.publicKeys(pins)) == nil)
  }

  @Test func `a chain without a pinned key is refused, and the error names its pins`() async throws {
    let error = try #require(try await Offline("valid").error(.publicKeys([try Pki.pin("backup")])))
    #expect((error.underlying as? TrustFailure)?.check == .pin)
    #expect(error.message.contains(try Pki.pin("valid")))
  }

  @Test(arguments: ["valid", "intermediate", "root"])
  func `a pinned certificate anywhere in the verified chain is trusted`(_ name: String) async throws {
    let evaluator = PinnedCertificatesTrustEvaluator(certificates: .file(Pki.path("\(name).pem")))
    #expect(try await Offline("valid").check(evaluator) == nil)
  }

  @Test func `a chain without a pinned certificate is refused`() async throws {
    #expect(try await Offline("valid").check(.pinnedCertificates(.file(Pki.path("backup.pem")))) == .pin)
  }

  @Test func `a pin does not make up for a bad chain or another name`() async throws {
    #expect(try await Offline("expired").check(.publicKeys([try Pki.pin("expired")])) == .chain)
    #expect(try await Offline("wrong-host").check(.publicKeys([try Pki.pin("wrong-host")])) == .hostName)
  }

  @Test func `without default validation the server's own key alone is proven`() async throws {
    let offline = try Offline("valid", roots: Pki.otherRoot)
    let leaf = PublicKeys([try Pki.pin("valid")])
    #expect(try await offline.check(.publicKeys(leaf, performDefaultValidation: false)) == nil)
    let issuer = PublicKeys([try Pki.pin("intermediate")])
    #expect(try await offline.check(.publicKeys(issuer, performDefaultValidation: false)) == .pin)
  }

  @Test func `a self-signed certificate is trusted if it is pinned and accepted`() async throws {
    let certificate = Certificates.file(Pki.path("self-signed.pem"))
    var offline = try Offline()
    offline.chain = certificate.certificates.map(\.der)
    #expect(try await offline.check(.pinnedCertificates(certificate, acceptSelfSignedCertificates: true)) == nil)
    #expect(try await offline.check(.pinnedCertificates(certificate)) == .chain)
    let other = Certificates.file(Pki.path("backup.pem"))
    #expect(try await offline.check(.pinnedCertificates(other, acceptSelfSignedCertificates: true)) == .chain)
  }
}
