import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// The trust evaluators during the handshake with `openssl s_server`.
@Suite(.overEachTransport) struct HandshakeTests {
  @Test func `pinned keys are looked for in the verified chain`() async throws {
    let server = try TLSServer("valid", chain: "intermediate")
    for name in ["valid", "intermediate", "root"] {
      #expect(try await Online().check(server, .publicKeys([try Pki.pin(name)])) == nil)
    }
    #expect(try await Online().check(server, .publicKeys([try Pki.pin("backup")])) == .pin)
  }

  @Test func `pinned certificates are looked for in the verified chain`() async throws {
    let server = try TLSServer("valid", chain: "intermediate")
    #expect(try await Online().check(server, .pinnedCertificates(.file(Pki.path("valid.pem")))) == nil)
    #expect(try await Online().check(server, .pinnedCertificates(.file(Pki.path("backup.pem")))) == .pin)
  }

  @Test func `a self-signed certificate is trusted if it is pinned and accepted`() async throws {
    let server = try TLSServer("self-signed")
    let pinned = Certificates.file(Pki.path("self-signed.pem"))
    #expect(try await Online().check(server, .pinnedCertificates(pinned)) == .chain)
    #expect(try await Online().check(server, .pinnedCertificates(pinned, acceptSelfSignedCertificates: true)) == nil)
    let other = Certificates.file(Pki.path("backup.pem"))
    #expect(try await Online().check(server, .pinnedCertificates(other, acceptSelfSignedCertificates: true)) == .chain)
  }

  @Test func `a disabled evaluator trusts everybody, with a warning`() async throws {
    let online = Online()
    #expect(try await online.check(try TLSServer("expired"), .disabled, host: "localhost") == nil)
    #expect(online.monitor.all.contains { $0.contains("localhost") })
  }

  @Test func `an audit reports and does not refuse`() async throws {
    let online = Online()
    let server = try TLSServer("valid", chain: "intermediate")
    #expect(try await online.check(server, .audit(.publicKeys([try Pki.pin("backup")]))) == nil)
    #expect(online.monitor.all.contains { $0.contains("would be refused") })
    #expect(try await online.check(try TLSServer("expired"), .audit(.publicKeys([try Pki.pin("expired")]))) == .chain)
  }

  @Test func `a composite trusts what all trust`() async throws {
    let server = try TLSServer("valid", chain: "intermediate")
    let good: any TrustEvaluator = .publicKeys([try Pki.pin("valid")])
    #expect(try await Online().check(server, .all([.default, good])) == nil)
    #expect(try await Online().check(server, .all([good, .publicKeys([try Pki.pin("backup")])])) == .pin)
  }

  @Test func `a closure receives a verified chain, and is not called for another`() async throws {
    struct Seen: Error, Equatable {
      let host: String
      let presented: Int
      let verified: Int?
    }
    let server = try TLSServer("valid", chain: "intermediate")
    let closure: any TrustEvaluator = .custom {
      throw Seen(host: $0.host, presented: $0.presentedChain.count, verified: $0.verifiedChain?.count)
    }
    let error = try await Online().error(server, closure)
    #expect(error?.underlying as? Seen == Seen(host: "localhost", presented: 2, verified: 3))
    let refused = try await Online(roots: Pki.otherRoot).error(server, closure)
    #expect(refused?.kind == .certificateRejected && refused?.underlying == nil)
    #expect(try await Online().error(server, .custom { _ in }) == nil)
  }

  @Test(arguments: [99, 400]) func `a chain of 100 is refused, and one of more than 64 KB`(count: Int) async throws {
    let issuer = try Pki.data("intermediate.pem")
    let file = FileManager.default.temporaryDirectory.appending(path: "lupine-chain-\(UUID().uuidString).pem")
    try Data(repeatElement(issuer, count: count).joined()).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try TLSServer("valid", chain: file.path())
    let kind = count > 100 ? LupineError.Kind.tlsFailed : .certificateRejected
    #expect(try await Online().error(server, nil)?.kind == kind)
    #expect(try await Online().error(server, .publicKeys([try Pki.pin("valid")]))?.kind == kind)
  }

  @Test func `the transport has the capabilities of TLS`() async throws {
    #expect(
      TestTransport.make().capabilities.isSuperset(of: [.trustEvaluation, .clientCertificates, .tlsVersions]))
  }
}
