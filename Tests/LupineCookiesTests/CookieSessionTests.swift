import FoundationEssentials
import HTTPTypes
import LupineCookies
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Testing
import TransportSupport

import LupineCurl

@Suite struct CookieSessionTests {
  private static let url = "https://a.example.com/start"

  private static func session(
    _ mock: MockTransport, _ change: (Session.Builder) -> Session.Builder = { $0.install(.cookies) }
  ) throws -> Session {
    try change(Session.Builder().transport(mock).clock(ImmediateClock())).build()
  }

  private static func sent(_ mock: MockTransport) -> [String?] { mock.requests.map { $0.headers[.cookie] } }

  private static func mock() -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("hello"))
    mock.stub(.get, "/start", .text("hello").field(.setCookie, "a=1; Path=/").field(.setCookie, "b=2; Path=/"))
    return mock
  }

  @Test func `cookies come back with the next request, and without the plugin they do not`() async throws {
    for (isOn, expected) in [(true, "a=1; b=2"), (false, nil)] {
      let mock = Self.mock()
      let session = try Self.session(mock) { isOn ? $0.install(.cookies) : $0 }
      for path in ["start", "end"] {
        _ = await session.request("https://a.example.com/" + path).serializingData().response
      }
      #expect(Self.sent(mock) == [nil, expected])
    }
  }

  @Test func `the cookies of a redirect are sent to its target if the host matches`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://a.example.com/start", .redirect(to: "/next").field(.setCookie, "a=1; Path=/"))
    mock.stub(.get, "https://a.example.com/next", .redirect(to: "https://b.example.com/"))
    mock.stub(.get, "https://b.example.com/", .redirect(to: "https://a.example.com/end"))
    mock.stub(.get, "https://a.example.com/end", .text("hello"))
    _ = try await Self.session(mock).request(Self.url).serializingData().value
    #expect(Self.sent(mock) == [nil, "a=1", nil, "a=1"])
  }

  @Test func `a challenge's cookies go with the answer`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .challenge("Basic realm=x").field(.setCookie, "a=1"))
    mock.stub(.get, "/{any...}", where: [.field(.authorization)], .text("in"))
    _ = await (try Self.session(mock)).request(Self.url).authenticate(username: "u", password: "p")
      .serializingData().response
    #expect(Self.sent(mock) == [nil, "a=1"])
  }

  @Test func `the jar uses the host of the URL, whatever the field Host is`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("hello").field(.setCookie, "a=1; Path=/"))
    let session = try Self.session(mock)
    let host = try #require(HTTPField.Name("Host"))
    _ = await session.request("https://a.example.com/", headers: [.init(host): "victim.example"]).serializingData()
      .response
    _ = await session.request("https://victim.example/").serializingData().response
    _ = await session.request("https://a.example.com/", headers: [.init(host): "other.example"]).serializingData()
      .response
    #expect(Self.sent(mock) == [nil, nil, "a=1"])
    #expect(Set(session.cookieJar?.cookies.map(\.domain) ?? []) == ["a.example.com", "victim.example"])
  }

  @Test func `a request's own field stays in front, and wins`() async throws {
    let mock = Self.mock()
    let session = try Self.session(mock)
    _ = await session.request(Self.url).serializingData().response
    _ = await session.request("https://a.example.com/", headers: [.cookie: "own=0; a=mine"]).serializingData().response
    #expect(mock.requests.last?.headers[values: .cookie] == ["own=0; a=mine; b=2"])
  }

  @Test func `cookies end on the session's date`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/start", .text("hello").field(.setCookie, "a=1; Path=/; Max-Age=60"))
    mock.stub(.get, "/end", .text("hello"))
    let clock = TestClock()
    let session = try Self.session(mock) { $0.install(.cookies).clock(clock) }
    _ = await session.request(Self.url).serializingData().response
    for seconds in [59, 1] {
      clock.advance(by: .seconds(seconds))
      _ = await session.request("https://a.example.com/end").serializingData().response
    }
    #expect(Self.sent(mock) == [nil, "a=1", nil])
  }

  @Test func `each session has a jar of its own, unless one is shared`() async throws {
    let builder = Session.Builder().transport(Self.mock()).install(.cookies)
    let (one, two) = (try builder.build(), try builder.build())
    #expect(one.cookieJar !== two.cookieJar)
    let jar = CookieJar()
    let shared = Session.Builder().transport(Self.mock()).install(.cookies(in: jar))
    #expect(try shared.build().cookieJar === jar)
    #expect(try shared.build().cookieJar === jar)
    #expect(try Session.Builder().transport(Self.mock()).build().cookieJar == nil)
  }
}

/// Cookies of httpbin, which Werkzeug formats and parses.
@Suite(.overEachTransport, .enabled(if: Peers.httpbin != nil || Peers.areRequired))
struct CookiePeerTests {
  private struct Shown: Decodable {
    var cookies: [String: String]
  }

  private static func session() throws -> Session {
    try Session.Builder().transport(.curl).timeouts(total: .seconds(30)).baseURL(try #require(Peers.httpbin))
      .install(.cookies).build()
  }

  @Test func `httpbin sets cookies and sees them again`() async throws {
    let session = try Self.session()
    let set = try await session.request("cookies/set?a=1&b=two%20words").serializingDecodable(Shown.self).value
    #expect(set.cookies["a"] == "1")
    #expect(set.cookies["b"] == "two words")
    let shown = try await session.request("cookies").serializingDecodable(Shown.self).value
    #expect(shown.cookies == set.cookies)
  }

  @Test func `httpbin deletes a cookie`() async throws {
    let session = try Self.session()
    _ = try await session.request("cookies/set?a=1&b=2").serializingDecodable(Shown.self).value
    let left = try await session.request("cookies/delete?a").serializingDecodable(Shown.self).value
    #expect(left.cookies == ["b": "2"])
    #expect(session.cookieJar?.cookies.map(\.name) == ["b"])
  }

  @Test func `without the plugin httpbin sees none`() async throws {
    let session = try Session.Builder().transport(.curl).baseURL(try #require(Peers.httpbin)).build()
    _ = try await session.request("cookies/set?a=1").serializingDecodable(Shown.self).value
    #expect(try await session.request("cookies").serializingDecodable(Shown.self).value.cookies.isEmpty)
  }
}
