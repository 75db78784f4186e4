import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing
import TrustSupport

@Suite struct DefaultTrustEvaluatorTests {
  @Test func `a cross-signed intermediate leads to either root`() async throws {
    #expect(try await Offline("cross-signed", roots: Pki.otherRoot).check(.default) == nil)
  }

  @Test func `additional roots are trusted on top of the others`() async throws {
    var offline = try Offline("valid", roots: Pki.otherRoot)
    offline.additionalRoots = Pki.root
    #expect(try await offline.check(.default) == nil)
  }

  @Test func `the time that counts is the session's`() async throws {
    var offline = try Offline("expired")
    offline.now = Date(timeIntervalSince1970: 1_704_100_000)
    #expect(try await offline.check(.default) == nil)
  }

  @Test func `the transport's verification is used, for success and for refusal`() async throws {
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
