import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineCurl
import LupineFixtures
import LupineMultipart
import LupineStreams
import LupineTesting
import Testing
import TransportSupport

/// Multipart responses that arrive over a real connection.
@Suite(.overEachTransport) struct StreamedResponseTests {
  private static let type: RawFields = ["Content-Type": "multipart/mixed; boundary=b"]

  private static func session() throws -> Session { try Session.Builder().transport(.curl).build() }

  /// A reply that sends each piece as one chunk.
  private static func reply(_ pieces: String...) -> ScriptedReply {
    .chunked(fields: type, pieces.map { Array($0.utf8) })
  }

  @Test func `the parts of a response stream while it arrives`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(
      always: [
        .head(status: 200, fields: ["Content-Type": "multipart/mixed; boundary=b", "Transfer-Encoding": "chunked"]),
        .chunk(Array("--b\r\nContent-Type: a\r\n\r\none\r\n--b\r\n\r\ntw".utf8)), .wait(gate),
        .chunk(Array("o\r\n--b--".utf8)), .endChunks(),
      ])
    var found: [String] = []
    for try await part in try Self.session().streamRequest(server.url).serializingMultipart() {
      found.append("\(part.number) \(part.headers[.contentType] ?? "-")")
      // The server waits with the rest until the second part has begun.
      if part.number == 2 { gate.open() }
      found.append(String(decoding: try await part.data(limit: 100), as: UTF8.self))
    }
    #expect(found == ["1 a", "one", "2 -", "two"])
  }

  @Test func `the body that a transport hands over is read into parts`() async throws {
    let server = try ScriptedServer(always: Self.reply("--b\r\n\r\non", "e\r\n-", "-b\r\n\r\ntwo\r\n--b--"))
    let context = TransferContext(id: RequestID(1)) { _ in .stream(window: 64 << 10) }
    let response = try await TestTransport.make().send(OutgoingRequest(server.url), in: context)
    var found: [String] = []
    for try await part in try MultipartParts(
      response.body, contentType: response.head.headerFields[.contentType])
    {
      found.append(String(decoding: try await part.data(limit: 100), as: UTF8.self))
    }
    #expect(found == ["one", "two"])
  }

  @Test func `an endless part is an error that names it, and the connection is closed`() async throws {
    let server = try ScriptedServer(
      always: [
        .head(status: 200, fields: Self.type), .raw(text: "--b\r\n\r\none\r\n--b\r\n\r\n"),
        .repeat([UInt8](repeating: 0x78, count: 4_096)),
      ])
    var limits = MultipartLimits()
    limits.partBytes = 1_000_000
    for limit in [100_000, 10_000_000] {
      let error = try await failure {
        for try await part in try Self.session().streamRequest(server.url).serializingMultipart(limits: limits) {
          _ = try await part.data(limit: limit)
        }
      }
      #expect(error.kind == .limitExceeded(.multipart))
      #expect(error.message.contains(limit < 1_000_000 ? "Part 2 " : "MultipartLimits.partBytes in part 2"))
    }
    try await server.waitForOpenConnections(0)
  }

  @Test func `a part that the server breaks off is an error`() async throws {
    let server = try ScriptedServer(
      always: [
        .head(status: 200, fields: ["Content-Type": "multipart/mixed; boundary=b", "Content-Length": "1000"]),
        .raw(text: "--b\r\n\r\nhalf"), .close,
      ])
    let error = try await failure {
      for try await part in try Self.session().streamRequest(server.url).serializingMultipart() {
        _ = try await part.data(limit: 100)
      }
    }
    #expect(error.kind == .connectionLost)
  }

  @Test func `a response that is no multipart is an error`() async throws {
    let server = try ScriptedServer(always: .json("{}"))
    var parts = try Self.session().streamRequest(server.url).serializingMultipart().makeAsyncIterator()
    #expect(try await failure { _ = try await parts.next() }.kind == .serializationFailed)
  }

  @Test(
    .enabled(if: Peers.nginx != nil || Peers.areRequired, "LUPINE_NGINX is not set: use Tests/Support/Peers/with-peers")
  )
  func `nginx's byte ranges are read into parts`() async throws {
    let url = try #require(Peers.nginx) + "/big.bin"
    let ranges: [Range<Int64>] = [0..<16, 800..<808, 1_000_000..<1_400_000]
    let asked = ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
    let request = try Self.session().streamRequest(url, headers: [.range: "bytes=\(asked)"])
    var found: [Range<Int64>] = []
    for try await part in request.serializingMultipart() {
      let range = try #require(part.contentRange)
      found.append(range.range)
      #expect(range.total == 16 << 20)
      let data = try await part.data(limit: 1 << 20)
      #expect(data.count == range.range.count)
      // Each group of 8 bytes in the file contains its own position.
      #expect(data.prefix(8).reduce(0) { $0 << 8 | Int64($1) } == range.range.lowerBound)
    }
    #expect(found == ranges)
  }
}
