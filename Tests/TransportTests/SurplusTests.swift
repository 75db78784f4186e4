import HTTPTypes
import LupineCore
import LupineFixtures
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Bytes after the end of a response, which must never become the next response on the connection.
///
/// The server sends the first bytes of a forged response after a valid one, and the rest after the next request.
@Suite(.overEachTransport, .timeLimit(.minutes(2))) struct SurplusTests {
  /// A complete response, the method of its request, and its content.
  struct Whole: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = HTTPRequest.Method.get
    let text: String
    var content = ""

    var bytes: [UInt8] { Array(text.utf8) }
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
  private static let known = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

  static let wholes = [
    Whole(testDescription: "chunks", text: chunked + "5\r\nhello\r\n0\r\n\r\n", content: "hello"),
    Whole(
      testDescription: "chunks with a trailer", text: chunked + "5\r\nhello\r\n0\r\nX-A: 1\r\n\r\n", content: "hello"),
    Whole(testDescription: "no chunk", text: chunked + "0\r\n\r\n"),
    Whole(testDescription: "a length", text: known + "hello", content: "hello"),
    Whole(testDescription: "a length of 0", text: empty),
    Whole(testDescription: "204", text: "HTTP/1.1 204 No Content\r\n\r\n"),
    Whole(testDescription: "304", text: "HTTP/1.1 304 Not Modified\r\n\r\n"),
    Whole(testDescription: "304 with a length", text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
    Whole(testDescription: "HEAD", method: .head, text: known),
    Whole(testDescription: "HEAD with chunks", method: .head, text: chunked),
    Whole(testDescription: "a length of 0 behind a 103", text: "HTTP/1.1 103 Early Hints\r\n\r\n" + empty),
  ]

  private static let good = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood".utf8)
  private static let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)

  @Test(arguments: wholes)
  func `bytes in one write with the end of a response are not the beginning of the next one`(
    whole: Whole
  ) async throws {
    for place in 1...Self.evil.count {
      try await Self.expectGood(whole, [whole.bytes + Self.evil[..<place]], rest: Array(Self.evil[place...]))
    }
  }

  @Test(arguments: wholes)
  func `bytes after a response and before the next request are not its response`(whole: Whole) async throws {
    let all = whole.bytes + Self.evil
    for place in 1..<all.count {
      try await Self.expectGood(whole, [Array(all[..<place]), Array(all[place...])], rest: [])
    }
    try await Self.expectGood(whole, all.map { [$0] }, rest: [])
  }

  @Test(arguments: wholes)
  func `bytes decrypted with the end of a response are not the beginning of the next one`(
    whole: Whole
  ) async throws {
    for place in [1, 17, Self.evil.count] {
      let (first, rest) = (whole.bytes + Self.evil[..<place], Array(Self.evil[place...]))
      // One record has the end of the response and the surplus; the start of the response may be in another record.
      for start in Set([0, whole.text.utf8.count - whole.content.utf8.count, whole.text.utf8.count - 1]) {
        try await Self.expectGood(whole, secured: [Array(first[..<start]), Array(first[start...])], rest: rest)
      }
    }
  }

  @Test(arguments: wholes)
  func `encrypted bytes after a response and before the next request are not its response`(whole: Whole) async throws {
    let all = whole.bytes + Self.evil
    for place in stride(from: 1, to: all.count, by: 5) {
      try await Self.expectGood(whole, secured: [Array(all[..<place]), Array(all[place...])], rest: [])
    }
    try await Self.expectGood(whole, secured: all.map { [$0] }, rest: [])
  }

  @Test(arguments: wholes)
  func `a connection with nothing behind a response is used again`(whole: Whole) async throws {
    let server = try ScriptedServer { $0.path == "/first" ? .verbatim(whole.text) : .respond(body: .text("good")) }
    defer { server.stop() }
    let client = Client()
    for _ in 0..<3 {
      #expect(try await client.fetch(server.url + "/first", method: whole.method).text == whole.content)
      #expect(try await client.fetch(server.url + "/next").text == "good")
    }
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  /// Expects a complete response to the first request, and the valid response `good` to the next one.
  private static func expectGood(_ whole: Whole, _ writes: [[UInt8]], rest: [UInt8]) async throws {
    let (sent, now) = (Gate(), Gate())
    let server = try ScriptedServer { request in
      if request.path == "/first" {
        return ScriptedReply(writes.flatMap { [.raw($0), .signal(now)] } + [.signal(sent)], connection: .keep)
      }
      return ScriptedReply([.raw(request.index > 0 ? rest : good)], connection: .keep)
    }
    defer { server.stop() }
    let client = Client()
    try await expectGood(whole, client, server.url, "\(writes.map(\.count))") {
      // If the client closes the connection, the server cannot send all bytes, and `sent` stays closed.
      await withTaskGroup { group in
        group.addTask { try? await sent.opened() }
        group.addTask { try? await server.waitForOpenConnections(0) }
        await group.next()
        group.cancelAll()
      }
    }
    await client.transport.shutdown()
  }

  private static func expectGood(_ whole: Whole, secured records: [[UInt8]], rest: [UInt8]) async throws {
    let sent = Gate()
    let server = try TLSPeer { path, index in
      path == "/first" ? TLSPeer.Reply(records: records, sent: sent) : TLSPeer.Reply(records: [index > 0 ? rest : good])
    }
    defer { server.stop() }
    let client = Client.trusting()
    try await expectGood(whole, client, server.url, "\(records.map(\.count))") { try? await sent.opened() }
    await client.transport.shutdown()
  }

  private static func expectGood(
    _ whole: Whole, _ client: Client, _ url: String, _ pieces: String, sent: () async -> Void
  ) async throws {
    let first = try await client.fetch(url + "/first", method: whole.method)
    #expect(first.text == whole.content, "\(pieces)")
    #expect(first.end.metrics.bytesReceived == Int64(whole.content.utf8.count), "\(pieces)")
    await sent()
    #expect(try await client.fetch(url + "/next").text == "good", "\(pieces)")
  }
}
