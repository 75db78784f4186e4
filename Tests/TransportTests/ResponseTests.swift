import FoundationEssentials
import Glibc
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ResponseTests {
  @Test func `chunks are joined and trailers handed over`() async throws {
    let server = try ScriptedServer(
      always: .chunked([Array("one ".utf8), Array("two".utf8)], trailers: ["X-Sum": "7", "X-Sum": "8"]))
    let client = Client()
    let response = try await client.fetch(server.url)
    #expect(response.text == "one two")
    #expect(response.end.trailers?[values: HTTPField.Name("X-Sum")!] == ["7", "8"])
    #expect(response.head.headerFields[.transferEncoding] == "chunked")
    #expect(try await client.fetch(server.url).text == "one two")
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a body may end with the connection`() async throws {
    let server = try ScriptedServer(always: .untilClose(body: .text("all of it")))
    let client = Client()
    #expect(try await client.fetch(server.url).text == "all of it")
    await client.transport.shutdown()
  }

  @Test(arguments: [204, 304])
  func `a status without a body has none`(_ status: Int) async throws {
    let server = try ScriptedServer(always: .respond(status: status, fields: ["ETag": "\"a\""]))
    let client = Client()
    for _ in 1...2 {
      let response = try await client.fetch(server.url)
      #expect(response.status == status)
      #expect(response.end.data.isEmpty)
    }
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `HEAD brings the length but no body`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("hello")))
    let client = Client()
    let response = try await client.fetch(server.url, method: .head)
    #expect(response.head.headerFields[.contentLength] == "5")
    #expect(response.end.data.isEmpty)
    #expect(try await client.fetch(server.url).text == "hello")
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `interim responses are events, the final one is the response`() async throws {
    let reply = ScriptedReply.respond(body: .text("done")).preceded(
      by: .informational(status: 103, fields: ["Link": "</a.css>"]), .informational(status: 102))
    let server = try ScriptedServer(always: reply)
    let client = Client()
    let log = EventLog()
    let response = try await client.fetch(server.url, log: log)
    #expect(response.text == "done")
    #expect(log.informational.map(\.status.code) == [103, 102])
    #expect(log.informational.first?.headerFields[HTTPField.Name("Link")!] == "</a.css>")
    await client.transport.shutdown()
  }

  @Test func `bytes outside ASCII in a value are kept`() async throws {
    let server = try ScriptedServer(
      always: [
        .raw(Array("HTTP/1.1 200 gr\u{FC}n\r\nContent-Length: 0\r\nX-Latin: ".utf8) + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A])
      ])
    let client = Client()
    let response = try await client.fetch(server.url)
    let field = try #require(response.head.headerFields[fields: HTTPField.Name("X-Latin")!].first)
    #expect(field.withUnsafeBytesOfValue { Array($0) } == [0xE9])
    await client.transport.shutdown()
  }

  @Test func `a body goes to a file as it arrives`() async throws {
    let server = try ScriptedServer(always: .repeating([1, 2, 3, 4], count: 500_000))
    let folder = try TemporaryFolder()
    let path = try folder.write([9, 9], to: "sink")
    let descriptor = open(path, O_RDWR)
    let client = Client()
    let request = OutgoingRequest(url: try HTTPURL(server.url))
    let response = try await client.transport.send(
      request, in: client.context(sink: .file(descriptor: descriptor, offset: 2)))
    #expect(try await response.body.end().byteCount == 2_000_000)
    close(descriptor)
    let written = try Data(contentsOf: URL(filePath: path))
    #expect(written.count == 2_000_002)
    #expect(written.prefix(6) == Data([9, 9, 1, 2, 3, 4]))
    await client.transport.shutdown()
  }

  @Test func `a stream hands over every byte in order`() async throws {
    let content = ScriptedBody.bytes((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let server = try ScriptedServer(always: .respond(body: content))
    let client = Client()
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url)), in: client.context(sink: .stream(window: 10_000)))
    var received: [UInt8] = []
    while let piece = try await response.body.next() { received += piece }
    #expect(received == content.bytes)
    #expect(try await response.body.end().byteCount == 1_000_000)
    await client.transport.shutdown()
  }

  @Test(arguments: [
    (BodySink.collect(limit: 10), Limits.Name.responseBody), (.discard(limit: 10), .discardedBody),
  ])
  func `a body over the limit of its sink ends the exchange`(_ sink: BodySink, _ name: Limits.Name) async throws {
    let server = try ScriptedServer(always: .endlessBody)
    let client = Client()
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url)), in: client.context(sink: sink))
    let error = await #expect(throws: LupineError.self) { try await response.body.end() }
    #expect(error?.kind == .limitExceeded(name))
    #expect(error?.metrics != nil)
    try await server.waitForOpenConnections(0)
    await client.transport.shutdown()
  }
}
