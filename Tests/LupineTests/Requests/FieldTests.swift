import Lupine
import Testing
import TransportSupport

@testable import LupineSession

@Suite(.besidePeers, .overEachTransport) struct FieldTests {
  @Test func `the default fields arrive`() async throws {
    let fields = try await fields(Peer.httpbin.session())
    #expect(fields["User-Agent"]?.string?.contains("Lupine/\(Session.libraryVersion)") == true)
    let codings = fields["Accept-Encoding"]?.string ?? ""
    for coding in ["gzip", "deflate", "br", "zstd"] { #expect(codings.contains(coding)) }
  }

  @Test func `a session's field arrives with every request`() async throws {
    let session = try Peer.httpbin.session { $0.header(.userAgent, "demo/1.0") }
    for _ in 1...2 { #expect(try await fields(session)["User-Agent"] == "demo/1.0") }
  }

  @Test func `a request's field replaces the session's`() async throws {
    let session = try Peer.httpbin.session { $0.header(.userAgent, "demo/1.0") }
    #expect(try await fields(session, [.userAgent: "other/2.0"])["User-Agent"] == "other/2.0")
  }

  @Test func `a field's value may be any UTF-8`() async throws {
    let name = try #require(HTTPField.Name("X-Flower"))
    // WSGI decodes field values as ISO 8859-1.
    let expected = String(String.UnicodeScalarView("Blüte".utf8.map { Unicode.Scalar($0) }))
    #expect(try await fields(Peer.httpbin.session(), [name: "Blüte"])["X-Flower"]?.string == expected)
  }

  @Test func `cookies are not stored without the plugin`() async throws {
    let session = try Peer.httpbin.session()
    let response = try await session.request("cookies/set?flower=lupine").validate().serializingJSON().value
    #expect(response["cookies"] == [:])
  }

  @Test func `a cookie that a request carries is sent`() async throws {
    let session = try Peer.httpbin.session()
    let response = try await session.request("cookies", headers: [.cookie: "flower=lupine"]).serializingJSON().value
    #expect(response["cookies"] == ["flower": "lupine"])
  }

  private func fields(_ session: Session, _ headers: HTTPFields = [:]) async throws -> JSONValue {
    try #require(
      try await session.request("headers", headers: RequestHeaders(headers)).validate().serializingJSON().value[
        "headers"])
  }
}
