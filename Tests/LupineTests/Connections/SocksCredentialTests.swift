import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// User name and password (RFC 1929) with dante, which is a SOCKS proxy of another project.
@Suite(.overEachTransport, .besidePeers) struct SocksCredentialTests {
  private func session(
    _ credential: String, scheme: String = "socks5h", transport: any Transport = TestTransport.make()
  ) throws -> Session {
    let place = try #require(
      Peers.danteForUsers, "dante is not running: run the tests beside Tests/Support/Peers/with-peers")
    return try Session.Builder().standardDefaults().transport(transport)
      .certificateAuthorities(Fixture.path("Certificates/root.pem")).proxy("\(scheme)://\(credential)\(place)").build()
  }

  @Test(arguments: ["socks5", "socks5h"], [Peer.nginx, .nginxTLS])
  func `a SOCKS proxy receives the credential of the user`(scheme: String, peer: Peer) async throws {
    let session = try session("ali:open%20sesame@", scheme: scheme)
    let response = await session.request(try peer.url + "/hello").serializingString().response
    #expect(response.value == "Hello from nginx\n")
  }

  @Test(arguments: [
    ("ali:wrong@", "does not accept the name and password"), ("eve:open%20sesame@", "does not accept the name"),
    ("ali:@", "name and password must have 1 to 255 bytes"), ("", "give it a name and a password"),
  ])
  func `a wrong or a missing name and password is a named error that quotes neither`(
    credential: String, sentence: String
  ) async throws {
    var error: LupineError?
    do {
      let session = try session(credential)
      error = await session.request(try Peer.nginx.url + "/hello").serializingString().response.error
      #expect(error?.kind == .proxyFailed)
    } catch let refusal as LupineError {
      error = refusal
    }
    let text = "\(try #require(error)) \(String(reflecting: error))"
    #expect(text.contains(sentence))
    for secret in ["sesame", "wrong"] { #expect(!text.contains(secret)) }
  }

  @Test func `another user of a SOCKS proxy does not use the connections of the first`() async throws {
    let transport = TestTransport.make()
    let known = try session("ali:open%20sesame@", transport: transport)
    let unknown = try session("ali:wrong@", transport: transport)
    let url = try Peer.nginx.url + "/hello"
    #expect(await known.request(url).serializingString().response.error == nil)
    #expect(await unknown.request(url).serializingString().response.error?.kind == .proxyFailed)
    let again = await known.request(url).serializingString().response
    #expect(again.error == nil && again.metrics.isConnectionReused)
  }
}
