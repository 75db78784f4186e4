import Lupine
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// The host names that the authorities of a chain may sign for, offline and in a handshake with `openssl s_server`.
@Suite(.overEachTransport) struct NameConstraintTests {
  /// Evaluators that check the host name, each with its own way to verify the chain.
  private static func evaluators(_ name: String) throws -> [any TrustEvaluator] {
    [
      .default, .publicKeys([try Pki.pin(name)]), .pinnedCertificates([try Pki.certificate(name)]),
      .revocation([.crl], revocationLists: .file(Pki.path("root.crl.pem"))), .all([.default, .default]),
      .audit(.disabled), .pinnedCertificates(anchors(name), acceptSelfSignedCertificates: true),
    ]
  }

  private static func anchors(_ name: String) -> Certificates {
    .file(root(name))
  }

  private static func root(_ name: String) -> String {
    name == "rooted" ? Pki.path("constrained-root.pem") : Pki.root
  }

  private static func authority(_ name: String) -> String { "\(name)-authority" }

  @Test(arguments: [
    ("excluded-name", "bar.wild.test"), ("excluded-name", "BAR.wild.test"), ("excluded-name", "bar.wild.test."),
    ("permitted-name", "bar.wild.localhost"), ("rooted", "bar.wild.test"),
  ])
  func `a wildcard does not match a name that an authority of its chain may not sign for`(
    _ name: String, _ host: String
  ) async throws {
    let offline = try Offline(name, host: host, roots: Self.root(name))
    for evaluator in try Self.evaluators(name) { #expect(try await offline.check(evaluator) == .hostName) }
    let failure = try await offline.error(.default)?.underlying as? TrustFailure
    #expect(failure?.reason.contains("may not sign for the host") == true)
    #expect(failure?.certificate?.subject.hasPrefix("CN=Lupine") == true)
    #expect(try await offline.check(.default(validateHost: false)) == nil)
  }

  @Test(arguments: [
    ("excluded-name", "foo.wild.test"), ("excluded-below", "bar.wild.test"), ("permitted-name", "foo.wild.test"),
    ("permitted-name", "foo.wild.localhost"), ("permitted-name", "bar.wild.test"), ("rooted", "foo.wild.test"),
    ("excluded-address", "localhost"), ("excluded-address", "::1"),
  ])
  func `a name that all authorities may sign for is trusted`(_ name: String, _ host: String) async throws {
    let offline = try Offline(name, host: host, roots: Self.root(name))
    for evaluator in try Self.evaluators(name) { #expect(try await offline.check(evaluator) == nil) }
  }

  @Test(
    arguments: [("excluded-name", "bar.wild.localhost"), ("rooted", "bar.wild.localhost")], ["-tls1_2", "-tls1_3"])
  func `such a name is refused in a handshake, whichever evaluator judges it`(
    _ place: (String, String), _ version: String
  ) async throws {
    let (name, host) = place
    let server = try TLSServer(name, chain: Self.authority(name), options: [version])
    let online = Online(roots: Self.root(name))
    for evaluator: (any TrustEvaluator)? in [nil, .custom { _ in }] {
      let error = try await online.error(server, evaluator, host: host)
      #expect(error?.kind == .certificateRejected)
      #expect(error?.message.contains("may not sign") == true, "\(error as Any)")
    }
    for evaluator in try Self.evaluators(name) {
      #expect(try await online.check(server, evaluator, host: host) == .hostName)
    }
  }

  @Test(arguments: [
    ("excluded-name", "foo.wild.localhost"), ("excluded-below", "bar.wild.localhost"),
    ("permitted-name", "foo.wild.localhost"), ("rooted", "foo.wild.localhost"), ("excluded-address", "localhost"),
  ])
  func `in a handshake a name that all authorities may sign for is trusted`(
    _ name: String, _ host: String
  ) async throws {
    let server = try TLSServer(name, chain: Self.authority(name))
    let online = Online(roots: Self.root(name))
    #expect(try await online.error(server, nil, host: host) == nil)
    for evaluator in try Self.evaluators(name) {
      #expect(try await online.check(server, evaluator, host: host) == nil)
    }
  }

  @Test func `a session of TLS is not resumed for a name that the chain leaves out`() async throws {
    let server = try TLSServer("excluded-name", chain: "excluded-name-authority")
    let session = try Online().session(nil)
    for _ in 0..<2 {
      #expect(await session.request(server.url("foo.wild.localhost")).serializingData().response.error == nil)
      let error = await session.request(server.url("bar.wild.localhost")).serializingData().response.error
      #expect(error?.kind == .certificateRejected)
    }
  }
}
