import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing
import TrustSupport

@Suite struct RevocationTrustEvaluatorTests {
  private let lists = RevocationLists.file(Pki.path("intermediate.crl.pem")) + .file(Pki.path("root.crl.pem"))

  @Test(arguments: ["valid", "issuer-signed"])
  func `a good staple is trusted`(_ staple: String) async throws {
    let offline = try Offline("valid", staple: staple)
    #expect(try await offline.check(.revocation([.ocsp, .requirePositiveResponse])) == nil)
  }

  @Test(arguments: [
    ("revoked", "revoked", "keyCompromise"), ("valid", "revoked", "another certificate"),
    ("valid", "foreign", "not signed"), ("valid", "outdated", "out of date"),
  ])
  func `a staple that does not clear the certificate is refused`(
    _ name: String, _ staple: String, _ text: String
  ) async throws {
    let error = try await Offline(name, staple: staple).error(.revocation([.ocsp]))
    let failure = try #require(error?.underlying as? TrustFailure)
    #expect(failure.check == .revocation)
    #expect(failure.reason.contains(text), "\(failure.reason)")
  }

  @Test func `without a staple preferring trusts and requiring refuses`() async throws {
    #expect(try await Offline("valid").check(.revocation([.ocsp])) == nil)
    #expect(try await Offline("valid").check(.revocation([.ocsp, .requirePositiveResponse])) == .revocation)
  }

  @Test func `a certificate that demands a staple is refused without one`() async throws {
    #expect(try await Offline("must-staple").check(.revocation([.ocsp])) == .revocation)
    #expect(try await Offline("must-staple", staple: "must-staple").check(.revocation([.ocsp])) == nil)
  }

  @Test func `a revocation list accepts certificates that are not on it, and refuses those that are`() async throws {
    let evaluator = RevocationTrustEvaluator(options: [.crl, .requirePositiveResponse], revocationLists: lists)
    #expect(try await Offline("valid").check(evaluator) == nil)
    #expect(try await Offline("revoked").check(evaluator) == .revocation)
  }

  @Test func `a list that is missing or out of date clears nothing`() async throws {
    let outdated = RevocationLists.file(Pki.path("outdated.crl.pem")) + .file(Pki.path("root.crl.pem"))
    for lists in [outdated, .file(Pki.path("intermediate.crl.pem"))] {
      let required = RevocationTrustEvaluator(options: [.crl, .requirePositiveResponse], revocationLists: lists)
      #expect(try await Offline("valid").check(required) == .revocation)
      #expect(try await Offline("valid").check(.revocation([.crl], revocationLists: lists)) == nil)
    }
  }

  @Test func `a file with bytes behind its list is a problem`() throws {
    let der = try #require(lists.lists.first)
    for (bytes, count) in [(der, 1), (der + [0], 0), (der + der, 0)] {
      let file = FileManager.default.temporaryDirectory.appending(path: "lupine-list-\(UUID().uuidString).der")
      defer { try? FileManager.default.removeItem(at: file) }
      try bytes.write(to: file)
      let read = RevocationLists.file(file.path)
      #expect(read.lists.count == count)
      #expect(read.problems.isEmpty == (count == 1))
    }
  }

  @Test func `a chain that does not hold is refused before anything is looked up`() async throws {
    #expect(try await Offline("expired", staple: "valid").check(.revocation()) == .chain)
    #expect(try await Offline("wrong-host", staple: "valid").check(.revocation()) == .hostName)
  }
}
