import FoundationEssentials
import Lupine
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// Valid and invalid certificate chains, offline and in a handshake with `openssl s_server`.
@Suite(.overEachTransport) struct ChainTests {
  @Test(arguments: ["valid", "rsa", "p384", "ed25519", "rsa-pss", "must-staple", "multiple", "many-names", "revoked"])
  func `a chain that holds is trusted`(_ name: String) async throws {
    #expect(try await Offline(name).check(.default) == nil)
  }

  @Test(arguments: [
    ("expired", "certificate has expired"), ("not-yet-valid", "certificate is not yet valid"),
    ("non-ca-issuer", "invalid CA certificate"), ("path-length", "path length constraint exceeded"),
    ("name-constraints", "permitted subtree violation"), ("sha1", "digest algorithm too weak"),
    ("small-rsa", "key too weak"), ("appended", "self-signed certificate in certificate chain"),
  ])
  func `a chain that does not hold is refused in OpenSSL's words`(_ name: String, _ text: String) async throws {
    let error = try #require(try await Offline(name).error(.default))
    let failure = try #require(error.underlying as? TrustFailure)
    #expect(failure.check == .chain)
    #expect(failure.reason.contains(text), "\(failure.reason)")
    #expect(failure.certificate != nil)
    #expect(error.message.contains(failure.advice))
  }

  @Test func `a self-signed certificate is refused`() async throws {
    var offline = try Offline()
    offline.chain = [try Pki.certificate("self-signed").der]
    #expect(try await offline.check(.default) == .chain)
  }

  @Test func `a chain to an untrusted root is refused`() async throws {
    #expect(try await Offline("valid", roots: Pki.otherRoot).check(.default) == .chain)
    #expect(try await Offline("valid", roots: nil).check(.default) == .chain)
  }

  @Test func `a missing intermediate is refused, and the advice says what to send`() async throws {
    var offline = try Offline()
    offline.chain = [try Pki.certificate("valid").der]
    let error = try await offline.error(.default)
    #expect((error?.underlying as? TrustFailure)?.check == .chain)
    #expect(error?.message.contains("intermediate certificates") == true)
  }

  @Test(arguments: ["valid", "rsa", "p384", "ed25519", "rsa-pss"])
  func `in a handshake a chain that holds is trusted`(_ name: String) async throws {
    let server = try TLSServer(name, chain: "intermediate")
    #expect(try await Online().error(server, nil) == nil)
    #expect(try await Online().check(server, .default) == nil)
  }

  @Test(arguments: [
    ("expired", "intermediate", "has expired"), ("not-yet-valid", "intermediate", "not yet valid"),
    ("sha1", "intermediate", "too weak"), ("small-rsa", "intermediate", "too weak"),
    ("non-ca-issuer", "non-ca-issuer.chain", "invalid CA certificate"),
    ("path-length", "path-length.chain", "path length constraint exceeded"),
    ("name-constraints", "name-constraints.chain", "permitted subtree violation"),
    ("unknown-root", nil, "local issuer"), ("self-signed", nil, "self-signed"), ("valid", nil, "local issuer"),
  ])
  func `an invalid chain is refused in a handshake, whichever evaluator judges it`(
    _ name: String, _ chain: String?, _ text: String
  ) async throws {
    let server = try TLSServer(name, chain: chain)
    let plain = try await Online().error(server, nil)
    #expect(plain?.kind == .certificateRejected)
    #expect(plain?.message.contains(text) == true, "\(plain as Any)")
    #expect(try await Online().error(server, .custom { _ in })?.kind == .certificateRejected)
    let judged = try await Online().error(server, .default)
    #expect((judged?.underlying as? TrustFailure)?.check == .chain)
    #expect(judged?.message.contains(text) == true, "\(judged as Any)")
  }

  @Test(arguments: [("expired", 1_704_100_000.0), ("not-yet-valid", 2_630_000_000)])
  func `in a handshake the session's date counts`(_ name: String, _ seconds: Double) async throws {
    let server = try TLSServer(name, chain: "intermediate")
    let date = Date(timeIntervalSince1970: seconds)
    for evaluator: (any TrustEvaluator)? in [nil, .default, .publicKeys([try Pki.pin(name)])] {
      let session = try Online().session(evaluator) { $0.now { date } }
      let error = await session.request(server.url()).serializingData().response.error
      #expect(error == nil, "\(error as Any)")
      #expect(try await Online().error(server, evaluator)?.kind == .certificateRejected)
    }
  }
}
