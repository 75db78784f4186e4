import Lupine
import LupineFixtures
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// The resumption of TLS sessions, as nginx reports it; nginx closes each connection after one response.
@Suite(
  .overEachTransport,
  .enabled("nginx is not running: run the tests beside Tests/Support/Peers/with-peers") {
    Peers.areRequired || Peers.nginxTLS != nil
  }) struct ResumptionTests
{
  private let transport = TestTransport.make()
  private var plain: Session.Builder {
    Session.Builder().transport(transport).certificateAuthorities(Fixture.path("Certificates/root.pem"))
  }

  /// Requests nginx's report on the connection: `r` if it resumes a TLS session, `.` if it does not.
  private func ask(_ session: Session) async throws -> DataResponse<String> {
    var request = try OutgoingRequest(try #require(Peers.nginxTLS) + "/session")
    request.options.version = .http1_1
    return await session.request(request).serializingString().response
  }

  private func answers(_ session: Session, _ count: Int = 3) async throws -> [String] {
    var answers: [String] = []
    for _ in 0..<count { answers.append(try await ask(session).result.get()) }
    return answers
  }

  @Test(arguments: [TLSVersion.tls1_2, .tls1_3])
  func `sessions are resumed if only chain and name are checked`(_ version: TLSVersion) async throws {
    let session = try plain.tlsVersions(maximum: version).build()
    #expect(try await answers(session) == [".\n", "r\n", "r\n"])
  }

  @Test(arguments: [TLSVersion.tls1_2, .tls1_3])
  func `under pins every connection is judged in a full handshake`(_ version: TLSVersion) async throws {
    let count = Locked(0)
    let session = try plain.tlsVersions(maximum: version)
      .trust(["localhost": .all([.publicKeys(.ofPeers), .custom { _ in count.change { $0 += 1 } }])]).build()
    #expect(try await answers(session) == [".\n", ".\n", ".\n"])
    #expect(count.value == 3)
  }

  @Test func `other pins resume no session of another policy`() async throws {
    for _ in 0..<2 {
      #expect(try await answers(try plain.build(), 2).last == "r\n")
      #expect(try await answers(try plain.trust(["localhost": .publicKeys(.ofPeers)]).build(), 1) == [".\n"])
      let refusing = try plain.trust(["localhost": .publicKeys(.ofNobody)]).build()
      for _ in 0..<2 { #expect(try await ask(refusing).error?.kind == .certificateRejected) }
    }
  }

  @Test func `other roots resume no session of the first ones`() async throws {
    #expect(try await answers(try plain.build(), 2).last == "r\n")
    let more = try plain.additionalCertificateAuthorities(Pki.root).build()
    #expect(try await answers(more, 1) == [".\n"])
    let others = try plain.certificateAuthorities(Pki.otherRoot).build()
    for _ in 0..<2 { #expect(try await ask(others).error?.kind == .certificateRejected) }
    #expect(try await answers(try plain.build(), 1) == ["r\n"])
  }
}
