import FoundationEssentials
import Lupine
import LupineMock
import Testing

@Suite struct CookieTests {
  /// Sets cookies from one URL, and returns the `Cookie` field of the next request to the other URL.
  private static func sent(
    _ fields: [String], from: String, to: String, host: String? = nil
  ) async throws -> String? {
    let mock = MockTransport()
    mock.stub(.get, "/set") { _ in fields.reduce(MockReply.text("ok")) { $0.field(.setCookie, $1) } }
    mock.stub(.get, "/get", .text("ok"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).install(.cookies).build()
    let headers: HTTPFields = host.map { host in [.hostField: host] } ?? [:]
    _ = await session.request(from + "/set", headers: RequestHeaders(headers)).serializingData().response
    _ = await session.request(to + "/get").serializingData().response
    return mock.requests.last?.headers[.cookie]
  }

  @Test(arguments: [
    ("Domain=co.uk", "https://www.example.co.uk", "https://victim.co.uk"),
    ("Domain=CO.UK", "https://www.example.co.uk", "https://victim.co.uk"),
    ("Domain=.co.uk", "https://www.example.co.uk", "https://victim.co.uk"),
    ("Domain=co.uk.", "https://www.example.co.uk", "https://victim.co.uk"),
    ("Domain=co.uk.", "https://www.example.co.uk.", "https://victim.co.uk."),
    ("Domain=github.io", "https://mine.github.io", "https://yours.github.io"),
    ("Domain=com", "https://www.example.com", "https://example.com"),
    ("Domain=victim.example", "https://other.example", "https://victim.example"),
    ("Domain=0.0.1", "https://127.0.0.1", "https://10.0.0.1"), ("Domain=1", "https://127.0.0.1", "https://10.0.0.1"),
    ("", "https://www.example.com", "https://example.com"), ("", "https://example.com", "https://www.example.com"),
    ("Secure", "https://example.com", "http://example.com"), ("Secure", "http://example.com", "https://example.com"),
  ])
  func `a cookie is sent to no host that it does not belong to`(attribute: String, from: String, to: String)
    async throws
  {
    #expect(try await Self.sent(["a=b; Path=/; " + attribute], from: from, to: to) == nil)
  }

  @Test(arguments: [
    ("Domain=example.co.uk", "https://www.example.co.uk", "https://example.co.uk"),
    ("", "https://127.0.0.1", "https://127.0.0.1:8443"), ("Domain=127.0.0.1", "https://127.0.0.1", "https://127.0.0.1"),
    ("Secure", "https://example.com", "https://example.com"),
  ])
  func `a cookie is sent to the hosts that it belongs to`(attribute: String, from: String, to: String) async throws {
    #expect(try await Self.sent(["a=b; Path=/; " + attribute], from: from, to: to) == "a=b")
  }

  @Test(arguments: [
    "__Host-a=b; Path=/", "__Host-a=b; Secure", "__Host-a=b; Secure; Path=/; Domain=example.com",
    "__Secure-a=b; Path=/",
    "__HOST-a=b; Path=/", "=__Host-a=b; Secure; Path=/",
  ])
  func `a cookie that breaks the rule of its prefix is dropped`(field: String) async throws {
    let url = "https://www.example.com"
    #expect(try await Self.sent([field], from: url, to: url) == nil)
    #expect(try await Self.sent(["__Host-a=b; Secure; Path=/"], from: url, to: url) == "__Host-a=b")
  }

  @Test func `plain http does not overwrite a secure cookie`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/{any...}", .text("ok").field(.setCookie, "a=good; Path=/; Secure"))
    mock.stub(.get, "http://example.com/", .text("ok").field(.setCookie, "a=evil; Path=/"))
    let session = try Session.Builder().transport(mock).install(.cookies).build()
    for url in ["https://example.com/", "http://example.com/", "https://example.com/end"] {
      _ = await session.request(url).serializingData().response
    }
    #expect(mock.requests.last?.headers[.cookie] == "a=good")
  }

  @Test func `a flood leaves a session that works, with 50 cookies and a short field`() async throws {
    let url = "https://example.com"
    let fields = (0..<900).map { "c\($0)=\(String(repeating: "x", count: 100)); Path=/" }
    let sent = try #require(try await Self.sent(fields, from: url, to: url))
    #expect(sent.split(separator: ";").count == 50)
    #expect(sent.utf8.count <= 8_190)
  }

  @Test(
    arguments: [
      ("a=" + String(repeating: "x", count: 5_000), nil), ("a=%0d%0aX:%20y", "a=%0d%0aX:%20y"),
      ("a=b; Path=/; Max-Age=99999999999999999999999999999999", "a=b"),
      ("a=b; Path=/; Max-Age=-99999999999999999999999999999", nil),
    ] as [(String, String?)])
  func `too long, too far, percent-encoded`(field: String, expected: String?) async throws {
    let url = "https://example.com"
    #expect(try await Self.sent([field + (field.contains(";") ? "" : "; Path=/")], from: url, to: url) == expected)
  }

  @Test func `the jar uses the host of the URL`() async throws {
    let victim = "https://victim.example"
    #expect(
      try await Self.sent(["a=b; Path=/"], from: "https://evil.example", to: victim, host: "victim.example") == nil)
    #expect(
      try await Self.sent(
        ["a=b; Path=/; Domain=victim.example"], from: "https://evil.example", to: victim, host: "victim.example") == nil
    )
  }
}

extension HTTPField.Name {
  fileprivate static let hostField = HTTPField.Name("Host") ?? .server
}
