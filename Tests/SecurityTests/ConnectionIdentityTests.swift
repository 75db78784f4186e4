import Lupine
import LupineFixtures
import LupineOpenSSL
import Testing
import TransportSupport
import TrustSupport

/// The exchanges that share a connection to nginx, over HTTP/2 and HTTP/1.1.
@Suite(
  .overEachTransport,
  .enabled("nginx is not running: run the tests beside Tests/Support/Peers/with-peers") {
    Peers.areRequired || Peers.nginxTLS != nil
  }) struct ConnectionIdentityTests
{
  private let transport = TestTransport.make()

  private func session(_ rules: [String: any TrustEvaluator], otherwise: (any TrustEvaluator)? = nil) throws -> Session
  {
    try Session.Builder().transport(transport).certificateAuthorities(Fixture.path("Certificates/root.pem"))
      .trust(rules, otherwise: otherwise).build()
  }

  private func url(_ host: String) throws -> String {
    try #require(Peers.nginxTLS).replacing("localhost", with: host) + "/connection"
  }

  private func ask(
    _ session: Session, _ host: String = "localhost", version: ProtocolVersion = .http2
  ) async throws -> DataResponse<String> {
    var request = try OutgoingRequest(try url(host))
    // A transport without HTTP/2 is tested over HTTP/1.1 alone.
    request.options.version = transport.capabilities.contains(.http2) ? version : .http1_1
    return await session.request(request).serializingString().response
  }

  @Test(arguments: [ProtocolVersion.http2, .http1_1])
  func `pins hold on a reused connection, which is the one that was judged`(_ version: ProtocolVersion)
    async throws
  {
    let count = Locked(0)
    let session = try session(["localhost": .all([.publicKeys(.ofPeers), .custom { _ in count.change { $0 += 1 } }])])
    let first = try await ask(session, version: version)
    let second = try await ask(session, version: version)
    #expect(first.metrics.isConnectionReused == false && second.metrics.isConnectionReused == true)
    #expect(first.metrics.tls != nil && first.metrics.tls == second.metrics.tls)
    #expect(first.metrics.tls?.applicationProtocol == (first.metrics.version == .http2 ? "h2" : "http/1.1"))
    #expect(count.value == 1)
  }

  @Test(arguments: [ProtocolVersion.http2, .http1_1])
  func `two evaluators never share a connection on one transport`(_ version: ProtocolVersion) async throws {
    let accepting = try session(["localhost": .publicKeys(.ofPeers)])
    #expect(try await ask(accepting, version: version).error == nil)
    let refusing = try session(["localhost": .publicKeys(.ofNobody)])
    #expect(try await ask(refusing, version: version).error?.kind == .certificateRejected)
    #expect(try await ask(accepting, version: version).metrics.isConnectionReused == true)
  }

  @Test(arguments: [ProtocolVersion.http2, .http1_1])
  func `a host's pin does not satisfy another host of the same server`(_ version: ProtocolVersion) async throws {
    let session = try session(
      ["localhost": .publicKeys(.ofPeers), "127.0.0.1": .publicKeys(.ofNobody)], otherwise: .refuse)
    #expect(try await ask(session, version: version).error == nil)
    #expect(try await ask(session, "127.0.0.1", version: version).error?.kind == .certificateRejected)
    #expect(try await ask(session, version: version).error == nil)
  }

  @Test func `other roots, another client certificate and other versions of TLS are other connections`() async throws {
    let plain = Session.Builder().transport(transport).certificateAuthorities(Fixture.path("Certificates/root.pem"))
    let certificate = ClientCertificate.pem(Pki.path("client.pem"), key: Pki.path("client.key.pem"))
    let builders = [
      plain, plain.additionalCertificateAuthorities(Pki.root), plain.tlsVersions(minimum: .tls1_3),
      plain.tlsVersions(maximum: .tls1_2), plain.clientCertificate(certificate), plain.trust([:], otherwise: .default),
    ]
    var connections: [Substring] = []
    // The last session equals the first one and reuses its connection, so the other connections differ by their rules.
    for builder in builders + [plain] {
      let answer = try await ask(try builder.build()).result.get()
      connections.append(try #require(answer.split(separator: " ").first))
    }
    #expect(connections.last == connections.first)
    #expect(Set(connections).count == builders.count)
  }

  @Test func `many requests at once are all judged`() async throws {
    let refusing = try session(["localhost": .publicKeys(.ofNobody)])
    let accepting = try session(["localhost": .publicKeys(.ofPeers)])
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          let isGood = number.isMultiple(of: 2)
          let error = try await ask(isGood ? accepting : refusing).error
          #expect(error?.kind == (isGood ? nil : .certificateRejected))
        }
      }
      try await group.waitForAll()
    }
  }
}
