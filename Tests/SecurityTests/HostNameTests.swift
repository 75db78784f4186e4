import Lupine
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// The host names for which a certificate is valid, offline and in a handshake with `openssl s_server`.
@Suite(.overEachTransport) struct HostNameTests {
  @Test(arguments: [
    ("valid", "localhost"), ("valid", "127.0.0.1"), ("valid", "::1"), ("valid", "localhost."),
    ("wildcard", "a.wild.test"), ("multiple", "two.test"), ("ip", "127.0.0.1"), ("idn", "xn--bcher-kva.test"),
    ("many-names", "n9999.test"),
  ])
  func `a certificate for the host is accepted`(_ name: String, _ host: String) async throws {
    #expect(try await Offline(name, host: host).check(.default) == nil)
  }

  @Test(arguments: [
    ("wrong-host", "localhost"), ("cn-only", "localhost"), ("wildcard", "a.b.wild.test"), ("wildcard", "wild.test"),
    ("top-wildcard", "example.com"), ("partial-wildcard", "www.wild.test"), ("double-wildcard", "a.b.test"),
    ("bare-wildcard", "localhost"), ("nul-name", "valid.test"), ("nul-name", "evil.test"),
    ("ip-as-name", "127.0.0.1"), ("valid", "127.0.0.2"), ("ip", "localhost"), ("valid", "sub.valid.test"),
    ("many-names", "n10001.test"),
  ])
  func `a certificate for another host is refused`(_ name: String, _ host: String) async throws {
    #expect(try await Offline(name, host: host).check(.default) == .hostName)
  }

  @Test(arguments: [
    ("valid", "localhost"), ("valid", "127.0.0.1"), ("ip", "127.0.0.1"),
    ("multiple", "localhost"), ("local-wildcard", "a.wild.localhost"),
  ])
  func `in a handshake a certificate for the host is accepted`(_ name: String, _ host: String) async throws {
    let server = try TLSServer(name, chain: "intermediate")
    #expect(try await Online().error(server, nil, host: host) == nil)
    #expect(try await Online().error(server, .custom { _ in }, host: host) == nil)
    #expect(try await Online().check(server, .default, host: host) == nil)
  }

  @Test(arguments: [
    ("wrong-host", "localhost"), ("cn-only", "localhost"), ("ip", "localhost"), ("nul-name", "localhost"),
    ("bare-wildcard", "localhost"), ("ip-as-name", "127.0.0.1"), ("local-wildcard", "a.b.wild.localhost"),
    ("local-wildcard", "wild.localhost"), ("local-top-wildcard", "a.localhost"),
    ("local-partial-wildcard", "www.wild.localhost"), ("local-double-wildcard", "a.b.localhost"),
  ])
  func `a certificate for another host is refused in a handshake, whichever evaluator judges it`(
    _ name: String, _ host: String
  ) async throws {
    let server = try TLSServer(name, chain: "intermediate")
    let plain = try await Online().error(server, nil, host: host)
    #expect(plain?.kind == .certificateRejected)
    #expect(plain?.message.contains("does not match the host \(host)") == true, "\(plain as Any)")
    #expect(try await Online().error(server, .custom { _ in }, host: host)?.kind == .certificateRejected)
    #expect(try await Online().check(server, .default, host: host) == .hostName)
    #expect(try await Online().check(server, .default(validateHost: false), host: host) == nil)
  }

  @Test(arguments: [
    "", ".", "..", ".test", ".test.", ".valid.test", ".wild.test", ".a.wild.test", ".localhost", ".com",
  ])
  func `a text that begins with a dot is no host`(_ host: String) throws {
    for name in ["valid", "wildcard", "top-wildcard", "local-wildcard"] {
      #expect(try !Pki.certificate(name).matches(host: host))
    }
  }

  @Test func `roots on top of the others do not loosen the names`() async throws {
    let server = try TLSServer("cn-only", chain: "intermediate")
    let session = try Online(roots: Pki.otherRoot).session(nil) { $0.additionalCertificateAuthorities(Pki.root) }
    let error = await session.request(server.url()).serializingData().response.error
    #expect(error?.message.contains("does not match") == true, "\(error as Any)")
  }

  @Test func `a certificate of 10,000 names is more than a handshake accepts`() async throws {
    let server = try TLSServer("many-names", chain: "intermediate")
    #expect(try await Online().error(server, nil)?.kind == .tlsFailed)
    #expect(try await Online().error(server, .default)?.kind == .tlsFailed)
  }
}
