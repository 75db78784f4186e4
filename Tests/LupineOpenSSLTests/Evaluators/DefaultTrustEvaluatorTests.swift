import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing

@Suite struct DefaultTrustEvaluatorTests {
  @Test(arguments: ["valid", "rsa", "p384", "ed25519", "rsa-pss", "must-staple", "multiple", "many-names", "revoked"])
  func `S12 a chain that holds is trusted`(_ name: String) async throws {
    #expect(try await Offline(name).check(.default) == nil)
  }

  @Test(arguments: [
    ("expired", "certificate has expired"), ("not-yet-valid", "certificate is not yet valid"),
    ("non-ca-issuer", "invalid CA certificate"), ("path-length", "path length constraint exceeded"),
    ("name-constraints", "permitted subtree violation"), ("sha1", "digest algorithm too weak"),
    ("small-rsa", "key too weak"), ("appended", "self-signed certificate in certificate chain"),
  ])
  func `S12 a chain that does not hold is refused in OpenSSL's words`(_ name: String, _ text: String) async throws {
    let error = try #require(try await Offline(name).error(.default))
    let failure = try #require(error.underlying as? TrustFailure)
    #expect(failure.check == .chain)
    #expect(failure.reason.contains(text), "\(failure.reason)")
    #expect(failure.certificate != nil)
    #expect(error.message.contains(failure.advice))
  }

  @Test func `S12 a self-signed certificate is refused`() async throws {
    var offline = try Offline()
    offline.chain = [try Pki.certificate("self-signed").der]
    #expect(try await offline.check(.default) == .chain)
  }

  @Test func `S12 a root that nobody trusts is refused`() async throws {
    #expect(try await Offline("valid", roots: Pki.otherRoot).check(.default) == .chain)
  }

  @Test func `S12 a missing intermediate is refused, and the advice says what to send`() async throws {
    var offline = try Offline()
    offline.chain = [try Pki.certificate("valid").der]
    let error = try await offline.error(.default)
    #expect(error?.message.contains("intermediate certificates") == true)
  }

  @Test func `a cross-signed intermediate leads to either root`() async throws {
    #expect(try await Offline("cross-signed", roots: Pki.otherRoot).check(.default) == nil)
  }

  @Test func `additional roots are trusted on top of the others`() async throws {
    var offline = try Offline("valid", roots: Pki.otherRoot)
    offline.additionalRoots = Pki.root
    #expect(try await offline.check(.default) == nil)
  }

  @Test func `the system's roots know nothing of the fixtures`() async throws {
    #expect(try await Offline("valid", roots: nil).check(.default) == .chain)
  }

  @Test func `the time that counts is the mock's`() async throws {
    var offline = try Offline("expired")
    offline.now = Date(timeIntervalSince1970: 1_704_100_000)
    #expect(try await offline.check(.default) == nil)
  }

  @Test func `what the transport has verified is taken, and what it has refused is refused`() async throws {
    var offline = try Offline("valid", roots: nil)
    offline.verified = try Pki.chain("valid")
    #expect(try await offline.check(.default) == nil)
    offline.verified = nil
    offline.failure = "a reason"
    #expect(try await offline.error(.default)?.message.contains("a reason") == true)
  }

  @Test func `a verified chain of another certificate is refused`() async throws {
    var offline = try Offline("valid")
    offline.verified = try Pki.chain("backup")
    #expect(try await offline.check(.default) == .presentation)
  }

  @Test(arguments: [
    ("valid", "localhost"), ("valid", "127.0.0.1"), ("valid", "::1"), ("valid", "localhost."),
    ("wildcard", "a.wild.test"), ("multiple", "two.test"), ("ip", "127.0.0.1"), ("idn", "xn--bcher-kva.test"),
    ("many-names", "n9999.test"),
  ])
  func `S11 a certificate for the host is accepted`(_ name: String, _ host: String) async throws {
    #expect(try await Offline(name, host: host).check(.default) == nil)
  }

  @Test(arguments: [
    ("wrong-host", "localhost"), ("cn-only", "localhost"), ("wildcard", "a.b.wild.test"), ("wildcard", "wild.test"),
    ("top-wildcard", "example.com"), ("partial-wildcard", "www.wild.test"), ("double-wildcard", "a.b.test"),
    ("bare-wildcard", "localhost"), ("nul-name", "valid.test"), ("nul-name", "evil.test"),
    ("ip-as-name", "127.0.0.1"), ("valid", "127.0.0.2"), ("ip", "localhost"), ("valid", "sub.valid.test"),
    ("many-names", "n10001.test"),
  ])
  func `S11 a certificate for another host is refused`(_ name: String, _ host: String) async throws {
    #expect(try await Offline(name, host: host).check(.default) == .hostName)
  }

  @Test func `without host validation another host's certificate is accepted`() async throws {
    #expect(try await Offline("wrong-host").check(.default(validateHost: false)) == nil)
    #expect(try await Offline("expired").check(.default(validateHost: false)) == .chain)
  }

  @Test func `the error names host, subject, issuer, validity and pin`() async throws {
    let message = try #require(try await Offline("expired").error(.default)?.message)
    for part in [
      "localhost", "CN=expired.test", "CN=Lupine Trust Intermediate", "2024-01-01", "2024-01-02",
      try Pki.pin("expired"),
    ] {
      #expect(message.contains(part), "\(message)")
    }
  }
}
