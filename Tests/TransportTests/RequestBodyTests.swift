import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct RequestBodyTests {
  enum Kind: CaseIterable { case bytes, file, streamOfKnownLength, stream, oneShot }

  private static let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  private func body(_ kind: Kind, in folder: TemporaryFolder) throws -> RequestBody {
    let pieces = stride(from: 0, to: Self.content.count, by: 70_000).map {
      Array(Self.content[$0..<min($0 + 70_000, Self.content.count)])
    }
    return switch kind {
    case .bytes: .bytes(Data(Self.content))
    case .file: .file(try folder.write(Self.content, to: "body"))
    case .streamOfKnownLength: .stream(length: Int64(Self.content.count)) { Pieces(pieces) }
    case .stream: .stream { Pieces(pieces) }
    case .oneShot: .oneShot(Pieces(pieces))
    }
  }

  @Test(arguments: Kind.allCases)
  func `every kind of body arrives whole`(_ kind: Kind) async throws {
    let server = try ScriptedServer(always: .respond(status: 201))
    let folder = try TemporaryFolder()
    let client = Client()
    let response = try await client.fetch(server.url, method: .put, body: body(kind, in: folder))
    #expect(response.status == 201)
    #expect(server.requests[0].body == Self.content)
    #expect(response.end.metrics.bytesSent == Int64(Self.content.count))
    let isKnown = kind == .bytes || kind == .file || kind == .streamOfKnownLength
    #expect(server.requests[0].fields["Content-Length"] == (isKnown ? "3000000" : nil))
    #expect(server.requests[0].fields["Transfer-Encoding"] == (isKnown ? nil : "chunked"))
    await client.transport.shutdown()
  }

  @Test func `a body of zero bytes has a length, no body has none`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    _ = try await client.fetch(server.url, method: .delete, body: .bytes(Data()))
    _ = try await client.fetch(server.url, method: .delete)
    _ = try await client.fetch(server.url, method: .post, body: .stream { Pieces([]) })
    #expect(server.requests.map { $0.fields["Content-Length"] } == ["0", nil, nil])
    #expect(server.requests[2].fields["Transfer-Encoding"] == "chunked")
    #expect(server.requests[2].isBodyComplete)
    await client.transport.shutdown()
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
  func `a method that usually has a body sends Content-Length 0 without one`(_ method: HTTPRequest.Method) async throws
  {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    _ = try await client.fetch(server.url, method: method)
    #expect(server.requests[0].fields["Content-Length"] == "0")
    await client.transport.shutdown()
  }

  @Test func `a stream that throws ends the exchange with its error`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let error = await #expect(throws: LupineError.self) {
      try await client.fetch(server.url, method: .post, body: .stream { Pieces([[1, 2, 3]], failure: Oops()) })
    }
    #expect(error?.kind == .bodyFailed)
    #expect(error?.underlying is Oops)
    #expect(server.requests.isEmpty)
    await client.transport.shutdown()
  }

  @Test(arguments: [2, 4])
  func `a stream of another length than stated is an error`(_ length: Int64) async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let error = await #expect(throws: LupineError.self) {
      try await client.fetch(server.url, method: .post, body: .stream(length: length) { Pieces([[1, 2, 3]]) })
    }
    #expect(error?.kind == .bodyFailed)
    await client.transport.shutdown()
  }

  @Test(arguments: [3, 9])
  func `a reader whose length differs from its stated length is an error`(_ count: Int) async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let body = RequestBody(length: 5, isReplayable: true) { (_) throws(LupineError) in
      FixedReader(length: 5, yields: count)
    }
    #expect(await client.failure(server.url, method: .post, body: body)?.kind == .bodyFailed)
    #expect(server.requests.isEmpty)
    await client.transport.shutdown()
  }

  @Test func `a missing file is an error before anything is sent`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let error = await #expect(throws: LupineError.self) {
      try await client.fetch(server.url, method: .post, body: .file("/nowhere/at/all"))
    }
    #expect(error?.kind == .bodyFailed)
    #expect(server.connectionCount == 0)
    await client.transport.shutdown()
  }

  @Test func `the head is handed over while the body still goes out`() async throws {
    let server = try ScriptedServer(readsBody: false) { _ in
      [
        .readBody(upTo: 3), .head(status: 200, fields: ["Transfer-Encoding": "chunked"]), .chunk([65]), .readBody,
        .chunk([66]), .endChunks(),
      ]
    }
    let client = Client()
    let gate = Gate()
    let body = RequestBody.stream { GatedPieces([[1, 2, 3]], gate, [[4, 5, 6]]) }
    let request = try OutgoingRequest(url: HTTPURL(server.url), method: .post, body: body)
    let response = try await client.transport.send(request, in: client.context())
    #expect(response.head.status == 200)
    gate.open()
    #expect(try await response.body.end().data == Data("AB".utf8))
    #expect(server.requests[0].body == [1, 2, 3, 4, 5, 6])
    await client.transport.shutdown()
  }

  @Test func `a complete answer with an error before the end of the body stops it`() async throws {
    let server = try ScriptedServer(readsBody: false) { request in
      request.method == .get
        ? .respond(body: .text("next"))
        : ScriptedReply(
          [.readBody(upTo: 3)] + ScriptedReply.respond(status: 413, body: .text("enough")).steps, connection: .keep)
    }
    let client = Client()
    let body = RequestBody.stream { GatedPieces([[1, 2, 3]], Gate(), []) }
    let response = try await client.fetch(server.url, method: .post, body: body)
    #expect(response.status == 413)
    #expect(response.text == "enough")
    #expect(try await client.fetch(server.url).text == "next")
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }
}
