import LupineFixtures
import LupineMock
import Testing

@testable import Lupine

/// The transport of `standardDefaults()`, which the default session and `Session.ephemeral` have.
///
/// The tests are built with the trait `Standard`. The packages `OverNative` and `WithoutCurl` in `Tests/Consumers` have
/// other traits, and run with the environment variable.
@Suite struct DefaultTransportTests {
  @Test(arguments: ["": "NativeTransport", "native": "NativeTransport", "curl": "CurlTransport"])
  func `the native transport is the default, and a name selects another one`(name: String, type: String) throws {
    let builder = DefaultTransport.set(name, in: Session.Builder())
    #expect(builder.description == "Session.Builder(\(type))")
    _ = try builder.standardDefaults().build()
  }

  @Test(arguments: ["mock", "Native", "curl "])
  func `an unknown transport is an error of the build that names the known ones`(name: String) throws {
    let builder = DefaultTransport.set(name, in: Session.Builder())
    let error = try #require(throws: LupineError.self) { try builder.standardDefaults().build() }
    guard case .configuration(let issues) = error.kind else { return #expect(Bool(false), "\(error)") }
    #expect(issues.map(\.part) == ["LUPINE_TRANSPORT"])
    #expect(error.message.contains("no transport is called \"\(name)\"; the names are \"native\" and \"curl\""))
  }

  @Test func `the defaults keep a transport, and a later one replaces theirs`() {
    let mocked = Session.Builder().transport(MockTransport()).standardDefaults()
    #expect(mocked.description == "Session.Builder(MockTransport)")
    let replaced = Session.Builder().standardDefaults().transport(.curl)
    #expect(replaced.description == "Session.Builder(CurlTransport)")
  }

  @Test(arguments: [ConnectionCredential.negotiate, .ntlm(username: "ali", password: "sesame")])
  func `the authentication of connections is an error of the build that names libcurl`(
    credential: ConnectionCredential
  ) throws {
    let builder = DefaultTransport.set("", in: Session.Builder()).standardDefaults().baseURL("http://example.com")
    let sessions = [
      builder.connectionCredential(credential), builder.proxy("http://proxy.example.com:3128", proving: credential),
    ]
    for builder in sessions {
      let error = try #require(throws: LupineError.self) { try builder.build() }
      #expect(error.message.contains("(it lacks connectionAuthentication); use the libcurl transport"))
      #expect(error.message.contains("'.transport(.curl)'"))
      _ = try builder.transport(.curl).build()
    }
  }

  @Test func `libcurl is no remedy for a version of HTTP that it lacks too`() throws {
    let builder = DefaultTransport.set("", in: Session.Builder()).httpVersion(.http3)
    let error = try #require(throws: LupineError.self) { try builder.build() }
    #expect(error.message.contains("(it lacks http3)"))
    #expect(!error.message.contains("curl"))
  }

  @Test(.besidePeers) func `the default session uses HTTP 2 over TLS if the server selects it`() async throws {
    let builder = DefaultTransport.set("", in: Session.Builder()).standardDefaults()
      .certificateAuthorities(Fixture.path("Certificates/root.pem"))
    let secured = await (try builder.build()).request("\(try Peer.nginxTLS.url)/protocol").serializingString().response
    #expect(secured.value == "HTTP/2.0 TLSv1.3\n")
    #expect(secured.metrics.version == .http2)
    let clear = await (try builder.build()).request("\(try Peer.nginx.url)/protocol").serializingString().response
    #expect(clear.metrics.version == .http1_1)
  }

  @Test(.besidePeers) func `over TLS HTTP 1.1 is used with a server that offers no HTTP 2`() async throws {
    let server = try OpenSSLServer(certificate: "localhost")
    let session = try DefaultTransport.set("", in: Session.Builder()).standardDefaults()
      .certificateAuthorities(Fixture.path("Certificates/root.pem")).build()
    let response = await session.request(server.url).serializingData().response
    #expect(response.error == nil)
    #expect([.http1_0, .http1_1].contains(response.metrics.version))
  }
}
