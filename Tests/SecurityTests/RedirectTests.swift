import FoundationEssentials
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite struct RedirectTests {
  private static let start = "https://a.example.com/start"

  private static func session(_ mock: MockTransport) throws -> Session {
    try Session.Builder().transport(mock).clock(ImmediateClock()).secretField(.secret).build()
  }

  private static let secrets: HTTPFields = {
    var fields: HTTPFields = [
      .authorization: "Bearer t", .proxyAuthorization: "Basic p", .secret: "s", .apiKey: "k", .custom: "open",
    ]
    for name in ["Signature", "Signature-Input"].compactMap({ HTTPField.Name($0) }) { fields[name] = "a=:AA==:" }
    fields.append(HTTPField(name: .cookie, value: "a=1"))
    fields.append(HTTPField(name: .cookie, value: "b=2"))
    return fields
  }()

  private static let secretNames: [HTTPField.Name] = [
    .authorization, .proxyAuthorization, .secret, .apiKey, .cookie,
  ]

  @Test(
    arguments: [301, 302, 303, 307, 308],
    [
      "https://b.example.com/", "https://a.example.com:8443/", "https://x.a.example.com/", "https://example.com/",
      "https://a.example.com./", "//b.example.com/", "https://u:p@b.example.com/",
    ])
  func `no secret crosses origins, and fields that are not secret do`(status: Int, location: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.start, .redirect(to: location, status: .init(code: status)))
    mock.stub(.get, "/", .text("arrived"))
    _ = try await Self.session(mock).request(Self.start, headers: RequestHeaders(Self.secrets)).serializingData().value
    let arrived = try #require(mock.requests.last)
    #expect(mock.requests.count == 2)
    for name in Self.secretNames { #expect(arrived.headers[values: name].isEmpty, "\(name)") }
    #expect(arrived.headers[.custom] == "open")
  }

  @Test(.overEachTransport, arguments: [301, 302, 303, 307, 308], [false, true])
  func `over the wire no secret crosses origins, nor comes back, with a proxy or without`(
    status: Int, isProxied: Bool
  ) async throws {
    let hosts = ["a.example.com", "b.example.com"]
    let server = try ScriptedServer { request in
      guard !request.path.hasSuffix("/end") else { return .respond(body: .text("arrived")) }
      // The server redirects from host a to host b, and from host b back to host a.
      let place = request.fields["Host"] ?? ""
      let target = place.hasPrefix("a.") ? "http://b\(place.dropFirst())/" : "http://a\(place.dropFirst())/end"
      return .respond(status: status, fields: ["Location": target])
    }
    defer { server.stop() }
    let session = try networkSession { builder in
      let builder = builder.secretField(.secret)
      if isProxied { return builder.proxy(server.url) }
      return hosts.reduce(builder) { $0.resolve($1, to: "127.0.0.1") }
    }
    let start = "http://\(hosts[0])\(isProxied ? "" : ":\(server.port)")/start"
    #expect(
      try await session.request(start, headers: RequestHeaders(Self.secrets)).serializingString().value == "arrived")
    let names = ["Authorization", "Cookie", "X-Secret", "X-API-Key", "Signature", "Signature-Input"]
    #expect(server.requests.count == 3)
    #expect(names.allSatisfy { server.requests[0].fields[$0] != nil })
    for request in server.requests.dropFirst() {
      #expect((names + ["Proxy-Authorization"]).allSatisfy { request.fields[$0] == nil })
      #expect(request.fields["X-Custom"] == "open")
    }
  }

  @Test func `an upgrade to https is another origin`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "http://a.example.com/start", .redirect(to: "https://a.example.com/"))
    mock.stub(.get, "https://a.example.com/", .text("arrived"))
    _ = try await Self.session(mock).request("http://a.example.com/start", headers: RequestHeaders(Self.secrets))
      .serializingData()
      .value
    #expect(mock.requests.last?.headers[.authorization] == nil)
  }

  @Test func `within an origin the secrets stay`() async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.start, .redirect(to: "https://A.example.com:443/next"))
    mock.stub(.get, "/next", .text("arrived"))
    _ = try await Self.session(mock).request(Self.start, headers: RequestHeaders(Self.secrets)).serializingData().value
    #expect(mock.requests.last?.headers[values: .cookie] == ["a=1; b=2"])
    #expect(mock.requests.last?.headers[.authorization] == "Bearer t")
  }

  @Test func `the way back does not bring secrets back, nor a default field or a token`() async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.start, .redirect(to: "https://b.example.com/"))
    mock.stub(.get, "https://b.example.com/", .redirect(to: "https://a.example.com/end"))
    mock.stub(.get, "https://a.example.com/end", .text("arrived"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://a.example.com")
      .header(.apiKey, "k").adapter(BearerToken("t")).build()
    _ = try await session.request("start").serializingData().value
    #expect(mock.requests.map { $0.headers[.authorization] } == ["Bearer t", nil, nil])
    #expect(mock.requests.map { $0.headers[.apiKey] } == ["k", nil, nil])
  }

  @Test(arguments: ["https://b.example.com/", "https://b.example.com/back"])
  func `a credential answers no challenge after another origin`(location: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.start, .redirect(to: location))
    mock.stub(.get, "https://b.example.com/", .challenge("Basic realm=x"))
    mock.stub(.get, "https://b.example.com/back", .redirect(to: "https://a.example.com/end"))
    mock.stub(.get, "https://a.example.com/end", .challenge("Basic realm=x"))
    let response = await (try Self.session(mock)).request(Self.start).authenticate(username: "u", password: "p")
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(mock.requests.allSatisfy { $0.headers[.authorization] == nil })
  }

  @Test(arguments: [
    "http://a.example.com/", "file:///etc/passwd", "ftp://a.example.com/", "data:text/plain,x", "javascript:alert(1)",
    "https://a b/", "https://a.example.com:99999/", "https://\u{1B}[2J/", "gopher://a/", "https://",
  ])
  func `a downgrade and a URL of another scheme are refused`(location: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.start, .redirect(to: location))
    let response = await (try Self.session(mock)).request(Self.start).serializingData().response
    #expect(response.error?.kind == .redirectFailed)
    #expect(mock.requests.count == 1)
  }

  @Test(.overEachTransport) func `userinfo in a location becomes no credential`() async throws {
    let server = try ScriptedServer { request in
      request.path == "/"
        ? .respond(body: .text("ok"))
        : .respond(
          status: 302, fields: ["Location": "http://user:pass@127.0.0.1:\(request.fields["X-Custom"] ?? "")/"])
    }
    defer { server.stop() }
    let session = try networkSession()
    let response = await session.request(
      server.url + "/start", headers: RequestHeaders([.custom: "\(server.port)"] as HTTPFields)
    )
    .serializingString()
    .response
    #expect(response.value == "ok")
    #expect(server.requests.map { $0.fields["Authorization"] } == [nil, nil])
    #expect(response.request?.url.string.contains("pass") == false)
  }

  @Test func `more redirects than the limit are an error that names the circle`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/start", .redirect(to: "/other?token=hidden"))
    mock.stub(.get, "/other", .redirect(to: "/start"))
    let error = await (try Self.session(mock)).request(Self.start).serializingData().response.error
    #expect(error?.kind == .limitExceeded(.redirects))
    #expect(error?.message.contains("/other?… → https://a.example.com/start → https://a.example.com/other?….") == true)
    #expect(error?.message.contains("hidden") == false)
    #expect(mock.requests.count == 11)
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .delete])
  func `a 303 becomes a GET without the body and its fields`(method: HTTPRequest.Method) async throws {
    let mock = MockTransport()
    mock.stub([method], Self.start, .redirect(to: "/next", status: .seeOther))
    mock.stub(.get, "/next", .text("arrived"))
    let headers: HTTPFields = [.contentType: "text/plain", .contentLanguage: "de", .custom: "open"]
    let request = try OutgoingRequest(Self.start, method: method, headers: headers, body: .text("secret"))
    #expect(try await Self.session(mock).request(request).serializingString().value == "arrived")
    let arrived = try #require(mock.requests.last)
    #expect(arrived.method == .get)
    #expect(arrived.body.isEmpty)
    #expect(arrived.headers[.contentType] == nil)
    #expect(arrived.headers[.contentLanguage] == nil)
    #expect(arrived.headers[.custom] == "open")
  }

  @Test(arguments: [307, 308], [true, false])
  func `a 307 and a 308 send the body again, if it can be`(status: Int, isReplayable: Bool) async throws {
    let mock = MockTransport()
    mock.stub(.post, Self.start, .redirect(to: "/next", status: .init(code: status)))
    mock.stub(.post, "/next", count: .optional, .text("arrived"))
    let bytes = AsyncStream<[UInt8]> { continuation in
      continuation.yield(Array("once".utf8))
      continuation.finish()
    }
    let body = isReplayable ? RequestBody.text("again") : .oneShot(bytes)
    let request = try OutgoingRequest(Self.start, method: .post, body: body)
    let response = await (try Self.session(mock)).request(request).serializingString().response
    #expect(response.error?.kind == (isReplayable ? nil : .redirectFailed))
    #expect(mock.requests.map(\.text) == (isReplayable ? ["again", "again"] : ["once"]))
  }

  @Test func `ten redirects are followed`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{n}") { request in
      let number = Int(request.variables["n"] ?? "") ?? 0
      return number == 10 ? .text("arrived") : .redirect(to: "/\(number + 1)")
    }
    #expect(try await Self.session(mock).request("https://a.example.com/0").serializingString().value == "arrived")
  }

  @Test(.overEachTransport) func `no Referer is sent`() async throws {
    let server = try ScriptedServer { request in
      request.path == "/" ? .respond(body: .text("ok")) : .respond(status: 302, fields: ["Location": "/"])
    }
    defer { server.stop() }
    _ = try await networkSession().request(server.url + "/start").serializingData().value
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.fields["Referer"] == nil })
  }
}
