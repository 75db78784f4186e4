import HTTPTypes
import LupineTesting
import Testing

@Suite struct ScriptedServerTests {
  @Test func `a reply goes out as scripted and the request is recorded as sent`() throws {
    let server = try ScriptedServer { request in
      .respond(fields: ["X-Path": request.path], body: .text("hello"))
    }
    let client = try RawClient(port: server.port)
    try client.send("POST /a?b=c HTTP/1.1\r\nHost: here\r\nx-CASE: 1\r\nX-case:  2 \r\nContent-Length: 3\r\n\r\nabc")
    let text = try client.read(until: "hello")
    #expect(text == "HTTP/1.1 200 OK\r\nX-Path: /a\r\nContent-Length: 5\r\n\r\nhello")
    let request = try #require(server.requests.first)
    #expect(request.method == .post)
    #expect(request.target == "/a?b=c")
    #expect(request.query == "b=c")
    #expect(request.fields.map(\.name) == ["Host", "x-CASE", "X-case", "Content-Length"])
    #expect(request.fields.values(of: "x-case") == ["1", "2"])
    #expect(request.bodyText == "abc")
    #expect(request.isBodyComplete)
  }

  @Test func `a connection serves request after request`() throws {
    let server = try ScriptedServer { .respond(body: .text($0.path)) }
    let client = try RawClient(port: server.port)
    for path in ["/1", "/2", "/3"] {
      try client.send(get(path))
      #expect(try client.read(until: "\r\n\r\n\(path)").hasSuffix(path))
    }
    #expect(server.connectionCount == 1)
    #expect(server.requests.map(\.index) == [0, 1, 2])
  }

  @Test func `pipelined requests are answered in order`() throws {
    let server = try ScriptedServer { .respond(body: .text($0.path + $0.bodyText)) }
    let client = try RawClient(port: server.port)
    let post = "POST /1 HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nab"
    try client.send(post + get("/2") + get("/3", "Connection: close"))
    let text = try client.read()
    let parts = text.split(separator: "\r\n\r\n").map { $0.prefix(4) }
    #expect(parts == ["HTTP", "/1ab", "/2HT", "/3"])
  }

  @Test(arguments: [
    (get("/", "Connection: close"), ScriptedReply.respond(body: .text("x"))),
    ("GET / HTTP/1.0\r\n\r\n", .respond(body: .text("x"))),
    (get(), .respond(fields: ["Connection": "close"], body: .text("x"))),
    (get(), ScriptedReply([.head(status: 200), .body([120])])),
    (get(), .untilClose(body: .text("x"))),
  ])
  func `the connection ends if HTTP requires it`(request: String, reply: ScriptedReply) throws {
    let server = try ScriptedServer(always: reply)
    let client = try RawClient(port: server.port)
    try client.send(request)
    #expect(try client.read().hasSuffix("\r\n\r\nx"))
  }

  @Test func `an HTTP 1_0 connection is kept if both sides ask for it`() throws {
    let server = try ScriptedServer(always: .respond(fields: ["Connection": "keep-alive"], body: .text("x")))
    let client = try RawClient(port: server.port)
    for _ in 0..<2 {
      try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      _ = try client.read(until: "\r\n\r\nx")
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `a HEAD request gets no content and the connection continues`() throws {
    let server = try ScriptedServer(always: .respond(body: .text("hello")))
    let client = try RawClient(port: server.port)
    try client.send("HEAD / HTTP/1.1\r\nHost: here\r\n\r\n" + get("/", "Connection: close"))
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    #expect(try client.read() == head + head + "hello")
  }

  @Test func `a sequence is played in turn and its end shows`() throws {
    let server = try ScriptedServer(sequence: [.respond(status: 503), .respond(status: 200)])
    let client = try RawClient(port: server.port)
    try client.send(get() + get() + get("/", "Connection: close"))
    let statuses = try client.read().split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
    #expect(statuses == ["503", "200", "500"])
  }

  @Test func `it listens on the other loopback address`() throws {
    let server = try ScriptedServer(.ipv6) { _ in .respond(body: .text("six")) }
    let client = try RawClient(port6: server.port)
    try client.send(get())
    #expect(try client.read(until: "six").hasSuffix("six"))
    #expect(server.url == "http://[::1]:\(server.port)")
  }

  @Test func `it listens on a Unix socket and removes its file`() throws {
    let path = "/tmp/lupine-test-\(UInt64.random(in: 0...UInt64.max)).sock"
    let server = try ScriptedServer(.unix(path: path)) { _ in .respond(body: .text("unix")) }
    let client = try RawClient(path: path)
    try client.send(get())
    #expect(try client.read(until: "unix").hasSuffix("unix"))
    server.stop()
    #expect(throws: RawClient.Failure.system(2)) { try RawClient(path: path) }
  }

  @Test func `fifty connections are served at once`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { .respond(body: .text($0.path)).preceded(by: .wait(gate)) }
    let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
    for (number, client) in clients.enumerated() { try client.send(get("/\(number)")) }
    try await server.waitForRequest(count: 50)
    #expect(server.openConnectionCount == 50)
    gate.open()
    for (number, client) in clients.enumerated() {
      #expect(try client.read(until: "\r\n\r\n/\(number)").hasSuffix("/\(number)"))
    }
  }
}
