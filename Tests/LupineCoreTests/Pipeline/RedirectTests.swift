import FoundationEssentials
import HTTPTypes
import LupineMock
import LupineSupport
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct RedirectTests {
  @Test(arguments: [
    (301, HTTPRequest.Method.post, HTTPRequest.Method.get), (302, .post, .get), (303, .post, .get), (307, .post, .post),
    (308, .post, .post), (301, .put, .put), (302, .put, .put), (303, .put, .get), (303, .delete, .get),
    (303, .head, .head), (301, .get, .get), (303, .get, .get), (307, .delete, .delete), (302, .head, .head),
    // RFC 10008 section 2.5: the exceptions for POST do not apply.
    (301, .query, .query), (302, .query, .query), (303, .query, .get), (307, .query, .query), (308, .query, .query),
  ])
  func `the method follows from the status`(
    status: Int, method: HTTPRequest.Method, expected: HTTPRequest.Method
  ) async throws {
    let bench = Self.bench(to: "/next", status)
    _ = await (try bench.session()).request("https://a.example.com/old", method: method).serializingData().response
    #expect(bench.mock.requests.map(\.method) == [method, expected])
  }

  @Test(arguments: [(303, false), (302, false), (307, true), (308, true)])
  func `the body and its fields are sent to the next URL if the method is kept`(status: Int, travels: Bool) async throws
  {
    let bench = Self.bench(to: "/next", status)
    _ = await (try bench.session()).request(
      "https://a.example.com/old", method: .post, parameters: ["a": 1],
      headers: [.contentLanguage: "en", .accept: "*/*"]
    ).serializingData().response
    let last = try #require(bench.mock.requests.last)
    #expect(last.body.isEmpty != travels)
    #expect((last.headers[.contentType] != nil) == travels)
    #expect((last.headers[.contentLanguage] != nil) == travels)
    #expect(last.headers[.accept] == "*/*")
  }

  @Test(arguments: [("/next", "name"), ("https://b.example.com/", nil)])
  func `a Host of the request's own goes to its origin alone`(location: String, expected: String?) async throws {
    let bench = Self.bench(to: location, 302)
    let request = (try bench.session()).request("https://a.example.com/old", headers: [.host: "name"])
    _ = await request.serializingData().response
    #expect(bench.mock.requests.map { $0.headers[.host] } == ["name", expected])
  }

  @Test func `a body that can be sent only once is not sent after a 307`() async throws {
    let bench = Self.bench(to: "/next", 307)
    let bytes = AsyncStream<[UInt8]> { $0.finish() }
    let request = try OutgoingRequest("https://a.example.com/old", method: .post, body: .oneShot(bytes))
    let response = await (try bench.session()).request(request).serializingData().response
    #expect(response.error?.kind == .redirectFailed)
    #expect(response.error?.response?.status.code == 307)
  }

  @Test(arguments: [
    ("/next", "https://a.example.com/next"), ("next?x=1", "https://a.example.com/dir/next?x=1"),
    ("//b.example.com/", "https://b.example.com/"), ("?q=1", "https://a.example.com/dir/old?q=1"),
    ("https://c.example.com:444/x#f", "https://c.example.com:444/x#f"),
  ])
  func `a location is resolved against the URL it answers`(location: String, expected: String) async throws {
    let bench = Self.bench(to: location, 302)
    _ = await (try bench.session()).request("https://a.example.com/dir/old").serializingData().response
    #expect(bench.mock.requests.last?.url.string == expected)
  }

  @Test(
    arguments: [
      ([Array("/a".utf8), Array("/a".utf8)], "https://api.example.com/a"), ([Array("/a".utf8), Array("/b".utf8)], nil),
      ([[0x2F, 0xE9]], "https://api.example.com/%E9"), ([[0x2F, 0xE9], [0x2F, 0xE8]], nil),
      ([[0x2F, 0xE9], [0x2F, 0xE9]], "https://api.example.com/%E9"),
      ([Array("http://".utf8) + [0xE9], Array("http://".utf8) + [0xE9]], nil),
    ] as [([[UInt8]], String?)])
  func `equal locations are one, different ones are an error, and bytes stay as they are`(
    locations: [[UInt8]], target: String?
  ) async throws {
    let mock = MockTransport()
    var fields = HTTPFields()
    for location in locations { fields.append(HTTPField(name: .location, value: location)) }
    mock.stub(.get, "https://api.example.com/old", .status(.found).fields(fields))
    if let target { mock.stub(.get, target, .text("ok")) }
    let session = try Session.Builder().transport(mock).build()
    let response = await session.request("https://api.example.com/old").serializingData().response
    #expect(mock.requests.count == (target == nil ? 1 : 2))
    #expect(target == nil || mock.requests.last?.url.string == target)
    #expect(response.error?.kind == (target == nil ? .redirectFailed : nil))
  }

  @Test func `a redirect without a location is the response`() async throws {
    let response = await (try TestBed(.text("x", status: .found)).session()).request(TestBed.url).serializingData()
      .response
    #expect(response.response?.status == .found)
    #expect(response.error == nil)
  }

  @Test func `a redirector may keep the redirect as the response`() async throws {
    let bench = Self.bench(to: "/next", 302)
    let session = try bench.session { $0.redirector(.doNotFollow) }
    let response = await session.request("https://a.example.com/old").serializingData().response
    #expect(response.response?.status == .found)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `not following needs no location that could be followed`() async throws {
    let bench = Self.bench(to: "ftp://x", 302)
    let response = await (try bench.session()).request("https://a.example.com/old").redirector(.doNotFollow)
      .serializingData().response
    #expect(response.response?.status == .found)
  }

  @Test func `a request's redirector comes before the session's and may change the next request`() async throws {
    let bench = Self.bench(to: "/next", 302)
    let session = try bench.session { $0.redirector(.doNotFollow) }
    let redirector = Redirector.modify { next, _ in
      var next = next
      next.headers[.custom] = "changed"
      return next
    }
    _ = await session.request("https://a.example.com/old").redirector(redirector).serializingData().response
    #expect(bench.mock.requests.last?.headers[.custom] == "changed")
  }

  @Test func `the response belongs to the last request, which it contains`() async throws {
    let bench = Self.bench(to: "/next", 302)
    let response = await (try bench.session()).request("https://a.example.com/old").serializingString().response
    #expect(response.value == "arrived")
    #expect(response.request?.url.path == "/next")
  }

  @Test func `the response has the redirects that led to it, and a retry's alone`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "/a", .redirect(to: "/b", status: .movedPermanently))
      mock.stub(.get, "/b", .redirect(to: "https://b.example.com/c?key=1"))
      mock.stub(.get, "/c", .sequence([.status(.serviceUnavailable), .text("arrived")]))
    }
    let session = try bench.session { $0.retrier(.backoff()) }
    let response = await session.request("https://a.example.com/a").serializingString().response
    #expect(response.value == "arrived")
    #expect(
      response.redirects.map(\.description) == [
        "GET https://a.example.com/a (301)", "GET https://a.example.com/b (302)",
      ])
    #expect(response.map { $0.count }.redirects.count == 2)
    #expect(
      response.debugDescription.contains("[Redirect] GET https://a.example.com/b (302) to https://b.example.com/c?…"))
  }

  @Test func `a request that fails after redirects has them too, and so has a download`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "/a", .redirect(to: "/b"))
      mock.stub(.get, "/b", .reset)
    }
    let session = try bench.session()
    let response = await session.request("https://a.example.com/a").serializingData().response
    #expect(response.error?.kind == .connectionLost)
    #expect(response.redirects.map(\.response.status) == [.found])
    let download = await session.download("https://a.example.com/a").serializingFile().response
    #expect(download.redirects.map(\.response.status) == [.found])
  }

  @Test func `a redirector that sends a request elsewhere does not send its secrets along`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "https://a.example.com/old", .redirect(to: "/next"))
      mock.stub(.get, "https://b.example.com/", .text("arrived"))
    }
    let elsewhere = try HTTPURL("https://b.example.com/")
    let redirector = Redirector.modify { next, _ in
      var next = next
      next.url = elsewhere
      next.headers[.apiKey] = "for b"
      return next
    }
    let headers: HTTPFields = [.authorization: "Bearer a", .cookie: "a=1"]
    _ = await (try bench.session()).request("https://a.example.com/old", headers: RequestHeaders(headers)).redirector(
      redirector
    )
    .serializingData().response
    let arrived = bench.mock.requests.last?.headers
    #expect(arrived?[.authorization] == nil)
    #expect(arrived?[.cookie] == nil)
    #expect(arrived?[.apiKey] == "for b")
  }

  @Test(arguments: [(nil, nil), ("b.internal", "b.internal")] as [(String?, String?)])
  func `a redirector that sends a request elsewhere does not send its Host along`(
    own: String?, expected: String?
  ) async throws {
    let bench = Self.bench(to: "/next", 302)
    let elsewhere = try HTTPURL("https://b.example.com/")
    let redirector = Redirector.modify { next, _ in
      var next = next
      next.url = elsewhere
      if let own { next.headers[.host] = own }
      return next
    }
    let request = (try bench.session()).request("https://a.example.com/old", headers: [.host: "a.internal"])
    _ = await request.redirector(redirector).serializingData().response
    #expect(bench.mock.requests.map { $0.headers[.host] } == ["a.internal", expected])
  }

  @Test func `an allowed downgrade is followed without secrets`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "https://a.example.com/old", .redirect(to: "http://a.example.com/"))
      mock.stub(.get, "http://a.example.com/", .text("arrived"))
    }
    let session = try bench.session { $0.redirector(.follow.allowingDowngrade()) }
    let response = await session.request("https://a.example.com/old", headers: [.authorization: "Bearer a"])
      .serializingString().response
    #expect(response.value == "arrived")
    #expect(bench.mock.requests.last?.headers[.authorization] == nil)
  }

  @Test func `Expect goes with the body it was for`() throws {
    var request = try OutgoingRequest("https://a.example.com/old", method: .post, body: .text("x"))
    request.options.expectsContinue = true
    let rules = RedirectRules(secrets: .standard, limits: Limits())
    let head = HTTPResponse(status: .seeOther, headerFields: [.location: "/next"])
    #expect(try rules.next(after: head, to: request, visited: []).options.expectsContinue == false)
  }

  @Test func `an exchange whose redirect cannot be followed is ended`() async throws {
    let cancelled = Flag()
    let transport = ClosureTransport { _, context throws(LupineError) in
      context.onCancel { cancelled.raise() }
      return context.begin(302, [.location: "ftp://x/"]).0
    }
    let session = try Session.Builder().transport(transport).build()
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .redirectFailed)
    await cancelled.raised()
  }

  @Test func `a proxy's redirect is not followed if only the response names its source`() async throws {
    let transport = ClosureTransport { _, context throws(LupineError) in
      var response = context.answer(302, [.location: "https://elsewhere.example.com/"])
      response.source = .proxy
      return response
    }
    let session = try Session.Builder().transport(transport).build()
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.response?.status == .found)
    #expect(response.redirects.isEmpty)
  }

  @Test func `each redirect is an event with what became of it`() async throws {
    let bench = Self.bench(to: "/next?token=hidden", 302)
    _ = await (try bench.session()).request("https://a.example.com/old").serializingData().response
    let event = bench.log.all.first { if case .redirected = $0.kind { true } else { false } }
    #expect(event?.kind.description == "redirected to https://a.example.com/next?…, followed: status 302")
  }

  private static func bench(to location: String, _ status: Int) -> TestBed {
    TestBed { mock in
      let redirect = MockReply.redirect(to: location, status: .init(code: status))
      for method in [HTTPRequest.Method.get, .post, .put, .delete, .head, .query] {
        mock.stub([method], "/{any...}", .text("arrived"))
        mock.stub([method], "https://a.example.com/old", count: .atMost(1), redirect)
        mock.stub([method], "https://a.example.com/dir/old", count: .atMost(1), redirect)
      }
    }
  }
}
