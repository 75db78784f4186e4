import HTTPTypes
import Lupine
import LupineFixtures
import LupineFoundation
import LupineRecording
import LupineTesting
import Testing
import TransportSupport

/// Exchanges with nginx are recorded over each transport, and play with the same events.
@Suite(.overEachTransport, .timeLimit(.minutes(1)), .enabled(if: Peers.nginx != nil || Peers.areRequired))
struct NginxRoundTripTests {
  private static func text(_ session: Session, _ request: OutgoingRequest) async -> [String] {
    let response = await session.request(request).serializingString().response
    return [response.value ?? "\(response.error?.kind.name ?? "")", "\(response.response?.status.code ?? 0)"]
  }

  @Test(arguments: ["/hello", "/json", "/empty", "/redirect", "/busy", "/missing"], [false, true])
  func `heads, bodies and redirects`(path: String, isHTTP2: Bool) async throws {
    var take = try Take()
    if isHTTP2 { take.configure = { $0.httpVersion(.http2) } }
    let url = try #require(isHTTP2 ? Peers.nginxTLS : Peers.nginx) + path
    let cassette = try await take.check { session in await Self.text(session, try OutgoingRequest(url)) }
    #expect(cassette.entries.count == (path == "/redirect" ? 2 : 1))
    #expect(cassette.entries.allSatisfy { $0.response?.version == (isHTTP2 ? .http2 : .http1_1) })
    #expect((cassette.header.origins.values.first?.tls != nil) == isHTTP2)
  }

  @Test func `a body of 10 MB is uploaded once`() async throws {
    let url = try #require(Peers.nginx) + "/echo-size"
    let cassette = try await Take().check { session in
      let body = RequestBody.bytes([UInt8](repeating: 0x61, count: 10 << 20))
      return await Self.text(session, try OutgoingRequest(url, method: .post, body: body))
    }
    guard case .digest(let length, _)? = cassette.entries.first?.request.body else {
      return #expect(Bool(false), "\(String(describing: cassette.entries.first?.request.body))")
    }
    #expect(length == 10 << 20)
  }

  /// The pin of a file of `Fixtures/Certificates`.
  private static func pin(_ name: String) throws -> String {
    try #require(Certificates.file(Fixture.path("Certificates/\(name).pem")).certificates.first).publicKeyPin
      .description
  }

  @Test(arguments: ["localhost", "root"]) func `pinned keys judge the recorded chain`(name: String) async throws {
    var take = try Take()
    let (right, wrong) = (try Self.pin(name), try Self.pin("self-signed"))
    let url = try #require(Peers.nginxTLS) + "/hello"
    take.configure = { $0.trust(["localhost": .publicKeys([right])]) }
    let scenario: @Sendable (Session) async throws -> [String] = { session in
      await Self.text(session, try OutgoingRequest(url))
    }
    let cassette = try await take.check(scenario)
    #expect(cassette.entries.first?.response?.head.status == .ok)

    take.configure = { $0.trust(["localhost": .publicKeys([wrong])]) }
    let played = try await take.play(scenario)
    #expect(played.results == ["certificateRejected", "0"])
    var live = try Take()
    live.configure = take.configure
    let recorded = try await live.record(scenario)
    #expect(recorded.results == played.results)
  }
}
