import LupineTesting
import Testing

@Suite struct RequestReadingTests {
  @Test func `a chunked body is decoded with its trailers`() throws {
    let server = try ScriptedServer { .respond(body: .text($0.bodyText)) }
    let client = try RawClient(port: server.port)
    try client.send(
      "PUT / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5;ext=1\r\nhello\r\nA\r\n, my world\r\n0\r\nX-Sum: 15\r\n\r\n")
    #expect(try client.read(until: "world").hasSuffix("\r\n\r\nhello, my world"))
    let request = try #require(server.requests.first)
    #expect(request.trailers["x-sum"] == "15")
    #expect(request.bodyLength == 15)
  }

  @Test func `only the first bytes of a body are kept when so asked`() throws {
    let server = try ScriptedServer(keptBodyLength: 2) { .respond(body: .text("\($0.bodyLength)")) }
    let client = try RawClient(port: server.port)
    try client.send("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
    #expect(try client.read(until: "\r\n\r\n5").hasSuffix("5"))
    #expect(server.requests.map(\.bodyText) == ["he"])
  }

  @Test func `a client that expects 100 receives 100`() throws {
    let server = try ScriptedServer { .respond(body: .text($0.bodyText)) }
    let client = try RawClient(port: server.port)
    try client.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.send("ok")
    #expect(try client.read(until: "ok").hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func `a final answer can come instead of the body and ends the connection`() throws {
    let server = try ScriptedServer(readsBody: false) { _ in .respond(status: 417) }
    let client = try RawClient(port: server.port)
    try client.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try client.read() == "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
    #expect(server.requests.map(\.isBodyComplete) == [false])
  }

  @Test func `a script reads the body in parts`() throws {
    let server = try ScriptedServer(readsBody: false) { request in
      ScriptedReply([.readBody(upTo: 2), .informational(status: 102), .readBody]).followed(
        by: .head(status: 200, fields: ["Content-Length": "0"]))
    }
    let client = try RawClient(port: server.port)
    try client.send("PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab")
    #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 102 Processing\r\n\r\n")
    #expect(server.requests.map(\.bodyText) == ["ab"])
    try client.send("cd")
    _ = try client.read(until: "\r\n\r\n")
    #expect(server.requests.map(\.bodyText) == ["abcd"])
  }

  @Test(arguments: [
    "GET / HTTP/1.1\nHost: here\n\n",
    "GET  / HTTP/1.1\r\n\r\n",
    "GET / HTTP/2.0\r\n\r\n",
    "GET / HTTP/1.1\r\nX-A: 1\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nX A: 1\r\n\r\n",
    "GET / HTTP/1.1\r\nX-A: 1\u{0}\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: +5\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
  ])
  func `a malformed request is refused and noted`(request: String) async throws {
    let server = try ScriptedServer(always: .respond())
    let client = try RawClient(port: server.port)
    try client.send(request)
    #expect(try client.read().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(try await server.waitForProblem().count == 1)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["GET / HT", "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc"])
  func `a request that breaks off is noted`(request: String) async throws {
    let server = try ScriptedServer(always: .respond())
    let client = try RawClient(port: server.port)
    try client.send(request)
    client.finishSending()
    let problems = try await server.waitForProblem()
    #expect(problems.map(\.reason) == ["The connection ended within a request."])
    #expect(try client.read() == "")
  }
}
