import FoundationEssentials
import Lupine
import LupineMock
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// Certificates that must not satisfy a pin, offline and in a handshake with `openssl s_server`.
@Suite(.overEachTransport) struct PinBypassTests {
  @Test func `a pinned certificate appended to a foreign chain satisfies no pin`() async throws {
    let pins = PublicKeys([try Pki.pin("valid"), try Pki.pin("intermediate"), try Pki.pin("root")])
    let certificates = Certificates.file(Pki.path("valid.chain.pem"))
    let offline = try Offline("appended", roots: Pki.otherRoot)
    #expect(try await offline.check(.default) == nil)
    #expect(try await offline.check(.publicKeys(pins)) == .pin)
    #expect(try await offline.check(.pinnedCertificates(certificates)) == .pin)
    #expect(try await offline.check(.publicKeys(pins, performDefaultValidation: false)) == .pin)
    #expect(try await offline.check(.pinnedCertificates(certificates, performDefaultValidation: false)) == .pin)
    #expect(try await offline.check(.pinnedCertificates(certificates, acceptSelfSignedCertificates: true)) == .chain)
  }

  @Test func `in a handshake a pinned certificate appended to a foreign chain satisfies no pin`() async throws {
    let server = try TLSServer("unknown-root", chain: "valid.chain")
    let pins = PublicKeys([try Pki.pin("valid"), try Pki.pin("intermediate")])
    let certificates = Certificates.file(Pki.path("valid.chain.pem"))
    let online = Online(roots: Pki.otherRoot)
    #expect(try await online.check(server, .default) == nil)
    #expect(try await online.check(server, .publicKeys(pins)) == .pin)
    #expect(try await online.check(server, .publicKeys(pins, performDefaultValidation: false)) == .pin)
    #expect(try await online.check(server, .pinnedCertificates(certificates)) == .pin)
    #expect(
      try await online.check(server, .pinnedCertificates(certificates, acceptSelfSignedCertificates: true)) == .chain)
    #expect(try await Online(roots: Pki.root).check(server, .publicKeys(pins)) == .chain)
  }

  @Test func `a host's pins do not satisfy another host`() async throws {
    let mock = try Self.mock()
    let session = try Self.session(mock)
    #expect(await session.request("https://one.test/end").serializingData().response.error == nil)
    let error = await session.request("https://two.test/end").serializingData().response.error
    #expect((error?.underlying as? TrustFailure)?.check == .pin)
  }

  @Test func `pins hold on the hop that a redirect leads to`() async throws {
    let mock = try Self.mock()
    mock.stub(.get, "https://one.test/", .redirect(to: "https://two.test/end"))
    let error = await (try Self.session(mock)).request("https://one.test/").serializingData().response.error
    #expect((error?.underlying as? TrustFailure)?.check == .pin)
    #expect(mock.requests.count == 1)
  }

  @Test func `in a handshake pins hold on the hop that a redirect leads to`() async throws {
    let end = try TLSServer("backup", chain: "intermediate", answer: "HTTP/1.0 200 OK\r\n\r\narrived")
    for (pinned, text) in [("backup", "arrived"), ("valid", nil)] {
      let start = try TLSServer(
        "valid", chain: "intermediate",
        answer: "HTTP/1.0 302 Found\r\nLocation: \(end.url("127.0.0.1"))answer\r\nContent-Length: 0\r\n\r\n")
      let session = try Online().session(nil) {
        $0.trust(
          ["localhost": .publicKeys([try Pki.pin("valid")]), "127.0.0.1": .publicKeys([try Pki.pin(pinned)])],
          otherwise: .refuse)
      }
      let response = await session.request(start.url() + "answer").serializingString().response
      #expect(response.value == text, "\(response)")
      if text == nil { #expect((response.error?.underlying as? TrustFailure)?.check == .pin) }
    }
  }

  @Test func `an empty set of pins is rejected by the builder, and rejects every certificate`() async throws {
    for evaluator: any TrustEvaluator in [
      .publicKeys([]), .pinnedCertificates([]), .all([]), .publicKeys(["sha256/AAAA"]), .all([.publicKeys([])]),
    ] {
      #expect(throws: LupineError.self) {
        try Session.Builder().transport(.curl).trust(["example.com": evaluator]).build()
      }
      let trust = ServerTrust(
        host: "localhost", port: 443, presentedChain: try Pki.chain("valid"), certificateAuthorities: Pki.root,
        now: Pki.day)
      #expect(throws: TrustFailure.self) { try evaluator.evaluate(trust) }
    }
  }

  private static func mock() throws -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/end", .empty)
    for host in ["one.test", "two.test"] { mock.presents(chain: try Pki.chain("multiple"), for: host) }
    return mock
  }

  private static func session(_ mock: MockTransport) throws -> Session {
    try Session.Builder().transport(mock).now { Pki.day }.certificateAuthorities(Pki.root).trust([
      "one.test": .publicKeys([try Pki.pin("multiple")]), "two.test": .publicKeys([try Pki.pin("backup")]),
    ]).build()
  }
}
