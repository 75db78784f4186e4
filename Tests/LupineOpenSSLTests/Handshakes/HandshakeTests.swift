import FoundationEssentials
import LupineCore
import LupineCurl
import LupineOpenSSL
import Testing

/// The evaluators in libcurl's handshake, against `openssl s_server`.
@Suite struct HandshakeTests {
  @Test(arguments: ["valid", "rsa", "p384", "ed25519", "rsa-pss"])
  func `S12 a chain that holds is trusted`(_ name: String) async throws {
    #expect(try await Online().check(try TLSServer(name, chain: "intermediate"), .default) == nil)
  }

  @Test(arguments: ["expired", "not-yet-valid", "sha1", "small-rsa"])
  func `S12 a chain that does not hold is refused`(_ name: String) async throws {
    #expect(try await Online().check(try TLSServer(name, chain: "intermediate"), .default) == .chain)
  }

  @Test(arguments: ["unknown-root", "self-signed", "valid"])
  func `S12 a root that is unknown, and an intermediate that is missing, are refused`(_ name: String) async throws {
    #expect(try await Online().check(try TLSServer(name), .default) == .chain)
  }

  @Test(arguments: ["wrong-host", "cn-only", "ip", "nul-name"])
  func `S11 another host's certificate is refused, with an evaluator and without`(_ name: String) async throws {
    let server = try TLSServer(name, chain: "intermediate")
    #expect(try await Online().check(server, .default) == .hostName)
    #expect(try await Online().check(server, .default(validateHost: false)) == nil)
    guard name != "cn-only" else { return }
    #expect(try await Online().error(server, nil)?.kind == .certificateRejected)
    #expect(try await Online().error(server, .custom { _ in })?.kind == .certificateRejected)
  }

  @Test func `S11 without an evaluator of this module libcurl takes the common name`() async throws {
    let server = try TLSServer("cn-only", chain: "intermediate")
    let error = try await Online().error(server, nil)
    withKnownIssue("libcurl 7.88 falls back to the common name where there is no other") {
      #expect(error?.kind == .certificateRejected)
    }
  }

  @Test func `S11 an address is matched by an address`() async throws {
    #expect(try await Online().check(try TLSServer("ip", chain: "intermediate"), .default, host: "127.0.0.1") == nil)
    let asName = try TLSServer("ip-as-name", chain: "intermediate")
    #expect(try await Online().check(asName, .default, host: "127.0.0.1") == .hostName)
  }

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

  @Test func `a self-signed certificate passes where it is pinned and accepted`() async throws {
    let server = try TLSServer("self-signed")
    let pinned = Certificates.file(Pki.path("self-signed.pem"))
    #expect(try await Online().check(server, .pinnedCertificates(pinned)) == .chain)
    #expect(try await Online().check(server, .pinnedCertificates(pinned, acceptSelfSignedCertificates: true)) == nil)
    let other = Certificates.file(Pki.path("backup.pem"))
    #expect(try await Online().check(server, .pinnedCertificates(other, acceptSelfSignedCertificates: true)) == .chain)
  }

  @Test func `S13 a pinned certificate appended to a foreign chain satisfies no pin`() async throws {
    let server = try TLSServer("unknown-root", chain: "valid.chain")
    let pins = PublicKeys([try Pki.pin("valid"), try Pki.pin("intermediate")])
    #expect(try await Online(roots: Pki.otherRoot).check(server, .default) == nil)
    #expect(try await Online(roots: Pki.otherRoot).check(server, .publicKeys(pins)) == .pin)
    #expect(try await Online(roots: Pki.root).check(server, .publicKeys(pins)) == .chain)
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

  @Test func `a closure sees the chain, and is not asked where it did not verify`() async throws {
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

  @Test func `the transport names an evaluator without an identity of its own`() async throws {
    #expect(CurlTransport().capabilities.isSuperset(of: [.trustEvaluation, .clientCertificates, .tlsVersions]))
  }
}
