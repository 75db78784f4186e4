import Foundation
import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// Servers with valid and invalid certificates, each an `openssl s_server`.
@Suite(
  .overEachTransport,
  .enabled("openssl is not installed") {
    Peers.areRequired || FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
  }) struct CertificateTests
{
  @Test func `the good certificate is accepted`() async throws {
    let server = try OpenSSLServer(certificate: "localhost")
    let response = try await session().request(server.url).validate().serializingString().value
    #expect(response.contains("TLSv1.3"))
  }

  @Test(arguments: [("expired", "expired"), ("self-signed", "self-signed"), ("wrong-host", "match")])
  func `an invalid certificate is refused, and the error names the reason`(
    _ certificate: String, _ reason: String
  ) async throws {
    let server = try OpenSSLServer(certificate: certificate)
    let response = try await session().request(server.url).serializingData().response
    let error = try #require(response.error)
    #expect(error.kind == .certificateRejected)
    #expect(error.message.contains(reason) || "\(error.underlying as Any)".contains(reason), "\(error)")
    #expect(response.response == nil)
  }

  private func session() throws -> Session {
    try Session.Builder().transport(.curl).standardDefaults()
      .certificateAuthorities(Fixture.path("Certificates/root.pem")).build()
  }
}
