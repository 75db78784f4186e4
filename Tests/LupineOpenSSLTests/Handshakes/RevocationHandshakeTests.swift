import LupineCore
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// Revocation in a real handshake; before TLS 1.3, the server sends the OCSP staple after the certificates.
@Suite(.overEachTransport) struct RevocationHandshakeTests {
  private static let versions = ["-tls1_2", "-tls1_3"]

  @Test(arguments: versions) func `a good staple is trusted`(_ version: String) async throws {
    let server = try TLSServer("valid", chain: "intermediate", staple: "valid", options: [version])
    #expect(try await Online().check(server, .revocation([.ocsp, .requirePositiveResponse])) == nil)
  }

  @Test(arguments: versions) func `a staple that revokes is refused`(_ version: String) async throws {
    let server = try TLSServer("revoked", chain: "intermediate", staple: "revoked", options: [version])
    #expect(try await Online().check(server, .default) == nil)
    #expect(try await Online().check(server, .revocation([.ocsp])) == .revocation)
  }

  @Test(arguments: versions) func `a staple by a stranger is refused`(_ version: String) async throws {
    let server = try TLSServer("valid", chain: "intermediate", staple: "foreign", options: [version])
    #expect(try await Online().check(server, .revocation([.ocsp])) == .revocation)
  }

  @Test(arguments: versions) func `without a staple preferring trusts and requiring refuses`(
    _ version: String
  ) async throws {
    let server = try TLSServer("valid", chain: "intermediate", options: [version])
    #expect(try await Online().check(server, .revocation([.ocsp])) == nil)
    #expect(try await Online().check(server, .revocation([.ocsp, .requirePositiveResponse])) == .revocation)
  }

  @Test(arguments: versions) func `a certificate that demands a staple is refused without one`(
    _ version: String
  ) async throws {
    let bare = try TLSServer("must-staple", chain: "intermediate", options: [version])
    #expect(try await Online().check(bare, .revocation([.ocsp])) == .revocation)
    let stapling = try TLSServer("must-staple", chain: "intermediate", staple: "must-staple", options: [version])
    #expect(try await Online().check(stapling, .revocation([.ocsp])) == nil)
  }

  @Test func `a revocation list refuses the certificates on it`() async throws {
    let lists = RevocationLists.file(Pki.path("intermediate.crl.pem")) + .file(Pki.path("root.crl.pem"))
    let evaluator = RevocationTrustEvaluator(options: [.crl, .requirePositiveResponse], revocationLists: lists)
    #expect(try await Online().check(try TLSServer("valid", chain: "intermediate"), evaluator) == nil)
    #expect(try await Online().check(try TLSServer("revoked", chain: "intermediate"), evaluator) == .revocation)
  }
}
