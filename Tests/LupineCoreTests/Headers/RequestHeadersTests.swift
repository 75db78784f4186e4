import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import LupineTransfers
import Testing

@Suite struct RequestHeadersTests {
  private static let url = "https://example.com/x"
  private let mock = MockTransport()
  private let session: Session

  init() throws {
    mock.stub([.get, .post], "/{any...}", .text("found"))
    session = try Session.Builder().transport(mock).build()
  }

  private func sent(_ request: some ValueRequest) async throws -> HTTPFields {
    _ = try await request.serializingData().value
    return try #require(mock.requests.last).headers
  }

  @Test func `names are written as text`() async throws {
    let fields = try await sent(session.request(Self.url, headers: ["X-Trace": "42", "accept": "text/plain"]))
    #expect(HTTPField.Name("X-Trace").flatMap { fields[$0] } == "42")
    #expect(fields[.accept] == "text/plain")
  }

  @Test func `text and constants are written in one literal`() async throws {
    let fields = try await sent(session.request(Self.url, headers: ["X-Trace": "42", .accept: "text/plain"]))
    #expect(HTTPField.Name("X-Trace").flatMap { fields[$0] } == "42")
    #expect(fields[.accept] == "text/plain")
  }

  @Test func `factories make fields`() async throws {
    let headers: RequestHeaders = [
      .accept("a/b"), .acceptCharset("utf-8"), .acceptEncoding("br"), .acceptLanguage("de"),
      .authorization(bearerToken: "secret"), .contentDisposition("inline"), .contentEncoding("identity"),
      .contentType("c/d"), .userAgent("demo/1.0"), .init(name: "X-Trace", value: "42"),
      .init(name: .ifMatch, value: "*"), .init(name: HTTPField.Name.range, value: "bytes=0-1"),
    ]
    #expect(
      try headers.fields.map { "\($0.name): \($0.value)" } == [
        "Accept: a/b", "Accept-Charset: utf-8", "Accept-Encoding: br", "Accept-Language: de",
        "Authorization: Bearer secret", "Content-Disposition: inline", "Content-Encoding: identity",
        "Content-Type: c/d", "User-Agent: demo/1.0", "X-Trace: 42", "If-Match: *", "Range: bytes=0-1",
      ])
    let fields = try await sent(session.request(Self.url, headers: [.accept("a/b"), .authorization("Own x")]))
    #expect(fields[.accept] == "a/b")
    #expect(fields[.authorization] == "Own x")
  }

  @Test func `Basic is encoded`() throws {
    let headers: RequestHeaders = [.authorization(username: "Aladdin", password: "open sesame")]
    #expect(try headers.fields[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }

  @Test(arguments: [("a:b", "c"), ("a", "c\n"), ("a\0", "c")])
  func `Basic refuses what it cannot transmit`(username: String, password: String) throws {
    let headers: RequestHeaders = [.authorization(username: username, password: password)]
    let error = #expect(throws: LupineError.self) { try headers.fields }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("Authorization") == true)
  }

  @Test func `fields of swift-http-types and empty literals are taken as well`() async throws {
    let fields: HTTPFields = [.accept: "a/b"]
    #expect(try await sent(session.request(Self.url, headers: RequestHeaders(fields)))[.accept] == "a/b")
    let name = try #require(HTTPField.Name("X-Own"))
    #expect(try await sent(session.request(Self.url, headers: [.init(name): "1"]))[name] == "1")
    #expect(try await sent(session.request(Self.url, headers: [:]))[.accept] == "*/*")
    #expect(try await sent(session.request(Self.url, headers: []))[.accept] == "*/*")
    #expect(try await sent(session.request(Self.url, headers: RequestHeaders(fields)))[.accept] == "a/b")
  }

  @Test func `a dictionary makes fields, in the order of its names`() async throws {
    let (name, values) = ("X-Trace", ["b": "2", "a": "1", "bad name": "3"])
    let fields = try await sent(session.request(Self.url, headers: RequestHeaders([name: "42", "X-A": "1"])))
    #expect(HTTPField.Name(name).flatMap { fields[$0] } == "42")
    #expect(RequestHeaders(["b": "2", name: "1", "a": "1"]).map(\.name.description) == [name, "a", "b"])
    #expect(throws: LupineError.self) { try RequestHeaders(values).fields }
    #expect(RequestHeaders([:]).isEmpty)
  }

  @Test func `each kind of request takes both`() async throws {
    let headers: RequestHeaders = ["X-A": "1"]
    let fields = try headers.fields
    for file in [
      session.download(Self.url, headers: ["X-A": "1"]), session.download(Self.url, headers: RequestHeaders(fields)),
      session.download(Self.url, parameters: ["a": "b"], headers: [.init(name: "X-A", value: "1")]),
    ] {
      try FileManager.default.removeItem(at: try await file.serializingFile().value)
    }
    for stream in [
      session.streamRequest(Self.url, headers: ["X-A": "1"]),
      session.streamRequest(Self.url, headers: RequestHeaders(fields)),
    ] {
      for try await _ in stream.serializingBytes() {}
    }
    _ = try await sent(session.upload(Data("a".utf8), to: Self.url, headers: ["X-A": "1"]))
    _ = try await sent(session.upload(.text("a"), to: Self.url, headers: RequestHeaders(fields)))
    _ = try await sent(session.request(session.makeOutgoingRequest(Self.url, headers: ["X-A": "1"])))
    _ = try await sent(session.request(session.makeOutgoingRequest(Self.url, headers: RequestHeaders(fields))))
    _ = try await sent(session.request(OutgoingRequest(Self.url, headers: ["X-A": "1"])))
    _ = try await sent(session.request(OutgoingRequest(url: HTTPURL(Self.url), headers: ["X-A": "1"])))
    let template = "https://example.com/{id}"
    _ = try await sent(session.request(template, path: ["id": 1], headers: ["X-A": "1"]))
    _ = try await sent(session.request(template, path: ["id": 1], headers: RequestHeaders(fields)))
    _ = try await sent(
      session.request(template, path: ["id": 1], parameters: ["a": "b"], headers: RequestHeaders(fields)))
    let name = try #require(HTTPField.Name("X-A"))
    #expect(mock.requests.map { $0.headers[name] } == Array(repeating: "1", count: 14))
  }

  @Test func `a session, a request and a reply take names as text`() async throws {
    let name = try #require(HTTPField.Name("X-Trace"))
    mock.stub(.get, "/reply", priority: 1, MockReply.text("found").field("X-Trace", "3"))
    let own = try Session.Builder().transport(mock).header("X-Trace", "42").build()
    #expect(try await sent(own.request(Self.url))[name] == "42")
    let response = await own.request("https://example.com/reply").serializingData().response
    #expect(response.response?.headerFields[name] == "3")
    var request = try OutgoingRequest(Self.url)
    try request.setHeader("X-Trace", "1")
    try request.setHeader("x-trace", "2")
    #expect(request.headers[values: name] == ["2"])
  }

  @Test(arguments: [("a b", "1"), ("X-Trace", "a\nb")])
  func `an invalid field is refused everywhere`(name: String, value: String) throws {
    let headers: RequestHeaders = [.init(name): value]
    #expect(throws: LupineError.self) { try Session.Builder().transport(mock).header(name, value).build() }
    let error = #expect(throws: LupineError.self) { try OutgoingRequest(url: HTTPURL(Self.url), headers: headers) }
    #expect(error?.kind == .invalidRequest)
    var request = try OutgoingRequest(Self.url)
    #expect(throws: LupineError.self) { try request.setHeader(name, value) }
    #expect(request.headers.isEmpty)
  }

  @Test func `a reply with an invalid name is an error that names it`() async throws {
    mock.stub(.get, "/reply", priority: 1, MockReply.text("found").field("a b", "3"))
    let error = await session.request("https://example.com/reply").serializingData().response.error
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("“a b”") == true)
  }

  @Test func `headers are read and changed by name`() throws {
    let name = "X-Other"
    var headers: RequestHeaders = ["Accept": "a/b", "accept": "c/d", .init(name): "0"]
    headers["x-other"] = "1"
    #expect(headers[name] == "1")
    #expect(headers[.accept] == "a/b, c/d")
    headers.append(contentsOf: [.userAgent("demo")])
    headers.remove(.accept)
    headers["a b"] = nil
    #expect(headers.map { "\($0.name): \($0.value)" } == ["x-other: 1", "User-Agent: demo"])
    headers[name] = nil
    headers.remove(.userAgent)
    #expect(headers.isEmpty)
    #expect(headers == [:])
    headers["a b"] = "1"
    #expect(!headers.isEmpty)
    #expect(headers != [:])
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{7F}b", " a", "a ", "a\t"])
  func `a value that cannot be sent is an error that names the field`(value: String) async throws {
    for headers: RequestHeaders in [["X-Trace": value], [.init(name: "X-Trace", value: value)]] {
      let error = await session.request(Self.url, headers: headers).serializingData().response.error
      #expect(error?.kind == .invalidRequest)
      #expect(error?.message.contains("X-Trace") == true)
      #expect(error?.message.contains("X-Evil") == false)
    }
    #expect(await session.request(Self.url, headers: [.accept: value]).serializingData().response.error != nil)
    #expect(mock.requests.isEmpty)
  }

  @Test(arguments: ["", "a b", "a:", ":path", "a\r\nb", "é", "a/b"])
  func `a name that cannot be sent is an error that names it`(name: String) async throws {
    let error = await session.request(Self.url, headers: [.init(name: name, value: "1"), .accept("a/b")])
      .serializingData().response.error
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("“\(name.replacing("\r\n", with: "\\u{D}\\u{A}"))”") == true)
    #expect(mock.requests.isEmpty)
  }

  @Test func `a name that is repeated is sent repeatedly`() throws {
    let headers: RequestHeaders = ["Accept": "a/b", "accept": "c/d"]
    #expect(try headers.fields[values: .accept] == ["a/b", "c/d"])
  }

  @Test func `more fields than any server takes are an error`() {
    let headers = RequestHeaders((0..<70_000).lazy.map { _ in RequestHeader(name: "a", value: "") })
    #expect(throws: LupineError.self) { try headers.fields }
  }

  @Test func `a description has no values`() {
    let headers: RequestHeaders = [.authorization(bearerToken: "secret"), .accept("a/b")]
    #expect("\(headers)" == "[Authorization, Accept]")
    var text = ""
    dump(headers, to: &text)
    dump(RequestHeader.authorization(bearerToken: "secret"), to: &text)
    #expect(!text.contains("secret"))
  }

  @Test func `a session takes headers, and refuses invalid ones`() async throws {
    let builder = Session.Builder().transport(mock)
    let own = try builder.headers(["X-Trace": "42", .accept: "a/b"]).build()
    #expect(try await sent(own.request(Self.url))[.accept] == "a/b")
    let error = #expect(throws: LupineError.self) { try builder.headers(["X-Trace": "a\nb"]).build() }
    #expect(error?.message.contains("X-Trace") == true)
  }
}
