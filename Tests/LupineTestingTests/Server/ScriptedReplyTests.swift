import LupineTesting
import Testing

@Suite struct ScriptedReplyTests {
  static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  /// The bytes of a reply on a connection that the server then closes.
  func wire(_ reply: ScriptedReply) throws -> String {
    let server = try ScriptedServer(always: ScriptedReply(reply.steps, connection: .close))
    let client = try RawClient(port: server.port)
    try client.send(get())
    return try client.read()
  }

  @Test(
    arguments: [
      ([.head(status: 299, reason: "Odd", fields: ["A": "1", "A": "2"])], "HTTP/1.1 299 Odd\r\nA: 1\r\nA: 2\r\n\r\n"),
      ([.informational(status: 103, fields: ["Link": "x"])], "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
      ([.raw(text: "a"), .raw([98]), .body([99])], "abc"),
      ([.chunk([97, 98], extensions: ";x=1"), .endChunks(trailers: ["T": "1"])], "2;x=1\r\nab\r\n0\r\nT: 1\r\n\r\n"),
      ([.repeat([97, 98], count: 3)], "ababab"),
      ([.drip(Array("drop by drop".utf8))], "drop by drop"),
      (.respond(status: 204), "HTTP/1.1 204 No Content\r\n\r\n"),
      (.chunked([[97], [], [98]]), chunkedHead + "1\r\na\r\n1\r\nb\r\n0\r\n\r\n"),
      (
        .json("{}"), "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      ),
      (.repeating([97], count: 4), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\naaaa"),
      (.surplusAfter(.respond(), [33]), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n!"),
      (.closeBeforeHead, ""),
      (.truncated(afterBytes: 2), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"),
      (.truncated(afterBytes: 3, of: .filler(9)), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\naaa"),
      (.truncatedChunks([[97]]), chunkedHead + "1\r\na\r\n"),
      (.malformedChunk(), chunkedHead + "zz\r\nhello\r\n0\r\n\r\n"),
      (.doubledContentLength(1, 2), "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\naa"),
      (
        .contentLengthWithChunked,
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
      ),
      (.contentLength("0x5"), "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello"),
      (.bareLineFeeds, "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
      (.obsoleteFold, "HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 5\r\n\r\nhello"),
      (.dribble(.text("abc")), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
    ] as [(ScriptedReply, String)])
  func `each step and each fault writes its bytes`(reply: ScriptedReply, bytes: String) throws {
    #expect(try wire(reply) == bytes)
  }

  @Test func `an oversized field has its size`() throws {
    let text = try wire(.oversizedField(bytes: 10_000))
    #expect(text.utf8.filter { $0 == 0x61 }.count == 10_000)
    #expect(text.hasSuffix("aaa\r\n\r\n"))
  }

  @Test func `garbage is no response`() throws {
    #expect(try !wire(.garbage).hasPrefix("HTTP/"))
  }

  @Test func `a reset comes before a byte`() throws {
    let server = try ScriptedServer(always: .resetBeforeHead)
    let client = try RawClient(port: server.port)
    try client.send(get())
    #expect(throws: RawClient.Failure.reset) { try client.receive() }
  }

  @Test(arguments: [0, 1, 1_000_000]) func `a reset comes at the byte it was scripted for`(count: Int) throws {
    let server = try ScriptedServer(always: .reset(afterBytes: count, of: .filler(2_000_000)))
    let client = try RawClient(port: server.port)
    try client.send(get())
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n"
    #expect(try client.read(count: head.utf8.count + count).utf8.count == head.utf8.count + count)
    #expect(throws: RawClient.Failure.reset) { try client.receive() }
  }

  @Test(arguments: [
    (ScriptedReply.endlessFields, "again and again\r\n"), (.endlessInformational, "Early Hints\r\n\r\n"),
    (.endlessTrailers, "again and again\r\n"), (.endlessChunkExtension, "again=and-again"), (.endlessBody, "aaaa"),
  ])
  func `an endless reply ends when the client has gone`(reply: ScriptedReply, part: String) async throws {
    let server = try ScriptedServer(always: reply)
    do {
      let client = try RawClient(port: server.port)
      try client.send(get())
      #expect(try client.read(count: 1_000_000).contains(part))
    }
    try await server.waitForOpenConnections(0)
  }

  @Test(arguments: [
    (ScriptedReply.stallBeforeHead, ""), (.stall(afterBytes: 0), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
    (.stall(afterBytes: 1, of: .text("hi")), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh"),
  ])
  func `a stall lasts until the client goes`(reply: ScriptedReply, bytes: String) async throws {
    let server = try ScriptedServer(always: reply)
    let client = try RawClient(port: server.port)
    try client.send(get())
    #expect(try client.read(count: bytes.utf8.count) == bytes)
    try await server.waitForRequest()
    #expect(server.openConnectionCount == 1)
    client.finishSending()
    #expect(try client.read() == "")
    try await server.waitForOpenConnections(0)
  }

  @Test func `late surplus waits for its gate and the connection continues`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(sequence: [.surplusAfter(.respond(), [33], gate: gate), .respond(status: 201)])
    let client = try RawClient(port: server.port)
    try client.send(get())
    #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    gate.open()
    #expect(try client.read(count: 1) == "!")
    try client.send(get())
    #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201 Created\r\n"))
  }
}
