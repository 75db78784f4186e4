import LupineCore
import LupineOpenSSL
import LupineSession
import Testing
import TransportSupport
import TrustSupport

/// The settings of a connection's TLS, such as roots, client certificates and versions, with `openssl s_server`.
@Suite(.overEachTransport) struct IdentityTests {
  @Test func `additional roots are trusted on top of the others`() async throws {
    let server = try TLSServer("valid", chain: "intermediate")
    for evaluator: (any TrustEvaluator)? in [nil, .default] {
      let session = try Online(roots: Pki.otherRoot).session(evaluator) {
        $0.additionalCertificateAuthorities(Pki.root)
      }
      #expect(await session.request(server.url()).serializingData().response.error == nil)
    }
    let error = try await Online(roots: Pki.otherRoot).error(server, nil)
    #expect(error?.kind == .certificateRejected)
  }

  @Test func `roots that cannot be read are named`() async throws {
    let server = try TLSServer("valid", chain: "intermediate")
    let error = try await Online(roots: Pki.path("valid.key.pem")).error(server, .default)
    #expect(error?.unusableParts == ["certificateAuthorities"])
    #expect(error?.message.contains("valid.key.pem") == true)
  }

  private static let certificates: [ClientCertificate] = [
    .pem(Pki.path("client.pem"), key: Pki.path("client.key.pem")),
    .pem(Pki.path("client.pem"), key: Pki.path("client.encrypted.key.pem"), passphrase: Pki.passphrase),
    .pkcs12(Pki.path("client.p12"), passphrase: Pki.passphrase),
  ]

  private func demanding() throws -> TLSServer {
    try TLSServer(
      "valid", chain: "intermediate",
      options: ["-Verify", "3", "-verify_return_error", "-CAfile", Pki.path("intermediate.pem"), "-partial_chain"])
  }

  @Test(arguments: certificates) func `a client certificate is shown`(_ certificate: ClientCertificate) async throws {
    let server = try demanding()
    let session = try Online().session(.default) { $0.clientCertificate(certificate) }
    let page = try await session.request(server.url()).serializingString().value
    #expect(page.contains("Lupine Client"))
  }

  @Test func `without one the server refuses`() async throws {
    #expect(try await Online().error(try demanding(), .default) != nil)
  }

  @Test(arguments: [
    (
      ClientCertificate.pem(Pki.path("client.pem"), key: Pki.path("client.encrypted.key.pem"), passphrase: "no"),
      "passphrase"
    ),
    (.pem(Pki.path("client.pem"), key: Pki.path("client.encrypted.key.pem")), "passphrase"),
    (.pkcs12(Pki.path("client.p12"), passphrase: "no"), "passphrase"),
    (.pem(Pki.path("client-expired.pem"), key: Pki.path("client-expired.key.pem")), "has expired"),
    (.pem(Pki.path("client.pem"), key: Pki.path("valid.key.pem")), "another certificate"),
    (.pem("/nowhere"), "/nowhere"), (.pkcs12(Pki.path("client.pem")), "not PKCS#12"),
  ]) func `a client certificate that cannot be used is named`(
    _ certificate: ClientCertificate, _ text: String
  ) async throws {
    let exchanges = ExchangeLogMonitor()
    let session = try Online().session(nil) {
      $0.clientCertificate(certificate).retrier(.backoff()).monitor(exchanges)
    }
    let error = await session.request(try TLSServer("valid", chain: "intermediate").url()).serializingData().response
      .error
    #expect(error?.unusableParts == ["clientCertificate"])
    #expect(exchanges.logs.map(\.attempts.count) == [1])
    #expect(error?.message.contains(text) == true, "\(error as Any)")
    #expect(error?.message.contains(Pki.passphrase) != true)
  }

  @Test func `the passphrase is in no description`() {
    let certificate = ClientCertificate.pkcs12("a.p12", passphrase: "secretRw4uPz8nYc")
    var text = ""
    dump(certificate, to: &text)
    #expect(!text.contains("secretRw4uPz8nYc") && !"\(certificate)".contains("secretRw4uPz8nYc"))
    #expect(!String(reflecting: certificate).contains("secretRw4uPz8nYc"))
  }

  @Test func `the versions of TLS are enforced`() async throws {
    let old = try TLSServer("valid", chain: "intermediate", options: ["-tls1_2"])
    let new = try TLSServer("valid", chain: "intermediate", options: ["-tls1_3"])
    let modern = try Online().session(.default) { $0.tlsVersions(minimum: .tls1_3) }
    #expect(await modern.request(old.url()).serializingData().response.error?.kind == .tlsFailed)
    #expect(await modern.request(new.url()).serializingData().response.error == nil)
    let dated = try Online().session(.default) { $0.tlsVersions(maximum: .tls1_2) }
    #expect(await dated.request(new.url()).serializingData().response.error?.kind == .tlsFailed)
    #expect(await dated.request(old.url()).serializingData().response.metrics.tls?.version == "TLSv1.2")
  }

  @Test(arguments: [nil, "http/1.1"])
  func `the metrics have the negotiated protocol`(_ name: String?) async throws {
    let server = try TLSServer("valid", chain: "intermediate", options: name.map { ["-alpn", $0] } ?? [])
    let metrics = await (try Online().session(.default)).request(server.url()).serializingData().response.metrics
    #expect(metrics.tls?.applicationProtocol == name)
  }

  @Test func `the metrics have the TLS version and cipher suite of the connection`() async throws {
    let server = try TLSServer("valid", chain: "intermediate")
    for evaluator: (any TrustEvaluator)? in [nil, .default] {
      let response = await (try Online().session(evaluator)).request(server.url()).serializingData().response
      let tls = try #require(response.metrics.tls)
      #expect(tls.version == "TLSv1.3")
      #expect(tls.cipher.hasPrefix("TLS_"))
      #expect(tls.peerCertificates == (try Pki.chain("valid")))
    }
  }
}

extension LupineError {
  /// The parts of the session that the error reports as unusable; `nil` for an error of another kind.
  fileprivate var unusableParts: [String]? {
    if case .configuration(let issues) = kind { issues.map(\.part) } else { nil }
  }
}
