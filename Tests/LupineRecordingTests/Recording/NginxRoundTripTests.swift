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

  @Test(arguments: ["/hello", "/json", "/empty", "/redirect", "/busy", "/missing", "/events"], [false, true])
  func `heads, bodies and redirects`(path: String, isHTTP2: Bool) async throws {
    var take = try Take()
    if isHTTP2 { take.configure = { $0.httpVersion(.http2) } }
    let url = try #require(isHTTP2 ? Peers.nginxTLS : Peers.nginx) + path
    let cassette = try await take.check { session in await Self.text(session, try OutgoingRequest(url)) }
    #expect(cassette.entries.count == (path == "/redirect" ? 2 : 1))
    #expect(cassette.entries.allSatisfy { $0.response?.version == (isHTTP2 ? .http2 : .http1_1) })
    #expect((cassette.header.origins.values.first?.tls != nil) == isHTTP2)
  }

  @Test(arguments: ["/gzip/text.txt", "/trailers"], [false, true])
  func `a coded body is recorded as text and coded again, with its trailers`(path: String, isHTTP2: Bool) async throws {
    var take = try Take()
    take.configure = {
      let builder = $0.contentCoding(.gzip)
      return isHTTP2 ? builder.httpVersion(.http2) : builder
    }
    let url = try #require(isHTTP2 ? Peers.nginxTLS : Peers.nginx) + path
    let scenario: @Sendable (Session) async throws -> [String] = { session in
      await Self.text(session, try OutgoingRequest(url))
    }
    let recorded = try await take.record(scenario)
    let played = try await take.play(scenario)
    #expect(recorded.results.first?.hasPrefix("Line 0 of a text that shrinks.\n") == true)
    #expect(played.results == recorded.results)
    // The number of coded bytes may differ.
    let steady = { (events: [String]) in events.filter { !$0.hasPrefix("received") } }
    #expect(steady(played.events) == steady(recorded.events))
    let entry = try #require(try take.cassette.entries.first)
    let response = try #require(entry.response)
    #expect(response.codings == ["gzip"])
    if path == "/trailers" {
      #expect(entry.end == .complete(trailers: [try #require(HTTPField.Name("X-Trailer")): "behind"]))
    }
    // A text of this length is in a file, where it can be read.
    guard case .file(let file) = response.body else { return #expect(Bool(false), "\(response.body)") }
    #expect(try take.folder.text(file.name) == recorded.results.first)
  }

  @Test(arguments: ["bytes=8-23", "bytes=-8", "bytes=0-7,16-23", "bytes=99999999-"], [false, true])
  func `parts of a file keep their ranges`(range: String, isHTTP2: Bool) async throws {
    var take = try Take()
    if isHTTP2 { take.configure = { $0.httpVersion(.http2) } }
    let url = try #require(isHTTP2 ? Peers.nginxTLS : Peers.nginx) + "/big.bin"
    let cassette = try await take.check { session in
      let response = await session.request(try OutgoingRequest(url, headers: [.range: range])).serializingData()
        .response
      let type = response.response?.headerFields[.contentRange] ?? "none"
      return ["\(response.value.map { Array($0) } ?? [])", "\(response.response?.status.code ?? 0) \(type)"]
    }
    let entry = try #require(cassette.entries.first)
    #expect(entry.request.fields[.range] == range)
    #expect(entry.response?.head.status.code == (range.hasPrefix("bytes=9") ? 416 : 206))
  }

  @Test(arguments: [false, true]) func `requests share a connection that is kept`(isHTTP2: Bool) async throws {
    var take = try Take()
    if isHTTP2 { take.configure = { $0.httpVersion(.http2) } }
    let url = try #require(isHTTP2 ? Peers.nginxTLS : Peers.nginx) + "/connection"
    let cassette = try await take.check { session in
      var results: [String] = []
      for _ in 0..<3 {
        let response = await session.request(url).serializingString().response
        results += [response.value ?? "", "\(response.metrics.isConnectionReused) \(response.metrics.tls != nil)"]
      }
      return results
    }
    #expect(cassette.entries.map(\.isConnectionReused) == [false, true, true])
    let bodies = cassette.entries.map { entry -> [Substring] in
      guard case .inline(let data)? = entry.response?.body else { return [] }
      return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }
    #expect(Set(bodies.map(\.first)).count == 1)
    #expect(bodies.map(\.last) == ["1", "2", "3"])
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
