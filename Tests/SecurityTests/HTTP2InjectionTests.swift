import FoundationEssentials
import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// Injection of fields over HTTP/2 to nginx, which reports the fields that it received.
@Suite(.overEachTransport, .enabled(if: Peers.areRequired || Peers.nginxTLS != nil)) struct HTTP2InjectionTests {
  private func session() throws -> Session {
    try networkSession { $0.certificateAuthorities(Fixture.path("Certificates/root.pem")).httpVersion(.http2) }
  }

  private func url() throws -> String { try #require(Peers.nginxTLS) + "/fields" }

  @Test(arguments: InjectionTests.controls)
  func `no control byte goes out in a field over HTTP 2`(control: String) async throws {
    let session = try session()
    for value in ["a\(control)X-Evil: 1", "a\(control)\(control) b", "a\(control)evil: 1\(control)x-evil: 1"] {
      let response = await session.request(try url(), headers: RequestHeaders([.custom: value] as HTTPFields))
        .serializingString().response
      let text = try #require(response.value)
      #expect(response.metrics.version == .http2)
      #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A })
      let lines = text.split(separator: "\n")
      #expect(lines.count == 4 && lines[1] == "evil=" && lines[0].hasPrefix("custom=a "))
    }
  }

  @Test(arguments: InjectionTests.controlsAndTab)
  func `a field value with a control character is rejected before it is sent over HTTP 2`(control: String)
    async throws
  {
    var request = try OutgoingRequest(try url())
    let bytes = Array("a\(control)".utf8)
    request.headers.append(HTTPField(name: .custom, lenientValue: bytes))
    let response = await (try session()).request(request).serializingString().response
    // swift-http-types replaces NUL, CR and LF by spaces; white space at the end of a value is refused as well.
    #expect(response.error?.kind == .invalidRequest)
  }

  @Test func `a tab inside a value arrives over HTTP 2`() async throws {
    let text = try await session().request(try url(), headers: RequestHeaders([.custom: "a\tb"] as HTTPFields))
      .serializingString().value
    #expect(text.hasPrefix("custom=a\tb\nevil=\n"))
  }

  @Test(arguments: InjectionTests.controlsAndTab)
  func `a token and a URL with a control byte are refused over HTTP 2`(control: String) async throws {
    let request = try session().request(try url()).adapter(BearerToken("a\(control)b", to: .anyOrigin))
    #expect(await request.serializingString().response.error?.kind == .adaptationFailed)
    let error = await (try session()).request(try url() + control).serializingString().response.error
    #expect(error?.kind == .invalidURL)
  }
}
