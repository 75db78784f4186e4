import FoundationEssentials
import HTTPTypes
import LupineFixtures
import LupineMock
@testable import LupineStreams
import Testing

@testable import LupineCore
@testable import LupineTransfers
@testable import LupineSession

/// Responses that an interceptor returns instead of the server's, for each kind of request.
@Suite struct OwnResponseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let ways = [Canned.Way.complete, .begun, .late]

  private func session(_ canned: Canned) throws -> Session {
    try Session.Builder().transport(MockTransport()).interceptor(canned).contentCoding(Rot("rot")).build()
  }

  private func download(_ canned: Canned) throws -> DownloadRequest {
    try session(canned).download(TestBed.url, to: .file(folder.file("a")))
  }

  @Test(arguments: ways)
  private func `a data request receives it unchanged, not decoded`(way: Canned.Way) async throws {
    let session = try session(Canned("own", way, [.contentEncoding: "rot"]))
    #expect(try await session.request(TestBed.url).serializingString().value == "own")
  }

  @Test(arguments: ways)
  private func `a stream receives it unchanged, not decoded`(way: Canned.Way) async throws {
    let session = try session(Canned("one\ntwo\n", way, [.contentEncoding: "rot"]))
    var lines: [String] = []
    for try await line in session.streamRequest(TestBed.url, window: 1).serializingLines() { lines.append(line) }
    #expect(lines == ["one", "two"])
  }

  @Test(arguments: ways)
  private func `a download writes it to its file unchanged, with progress`(way: Canned.Way) async throws {
    let notes = Notes<TransferProgress>()
    let request = try download(Canned("own", way, [.contentEncoding: "rot"])).downloadProgress { notes.add($0) }
    _ = try await request.serializingFile().value
    #expect(try folder.text("a") == "own")
    #expect(folder.names == ["a"])
    #expect(notes.all.last?.completed == 3)
    #expect(notes.all.last?.fractionCompleted == 1)
  }

  @Test func `a stream's reader is not given a response that a validator refuses`() async throws {
    let stream = try session(Canned("no", .complete, status: .notFound)).streamRequest(TestBed.url).validate()
    await #expect {
      for try await _ in stream.serializingBytes() { Issue.record("A refused body was handed over.") }
    } throws: {
      ($0 as? LupineError)?.kind == .unacceptableStatusCode(404)
    }
  }

  @Test(
    arguments: [
      (Canned("no", .complete, status: .notFound), .unacceptableStatusCode(404)),
      (Canned("page", .complete, [.contentType: "text/html"]), .unacceptableContentType("text/html")),
    ] as [(Canned, LupineError.Kind)])
  private func `a download leaves nothing of a response that a validator refuses`(
    canned: Canned, kind: LupineError.Kind
  ) async throws {
    let request = try download(canned).validate(statusCode: 200..<300).validate(contentType: ["application/zip"])
    #expect(await request.serializingFile().response.error?.kind == kind)
    #expect(folder.names.isEmpty)
  }

  @Test func `a download applies its size limit`() async throws {
    let response = try await download(Canned("12345", .complete)).sizeLimit(4).serializingFile().response
    #expect(response.error?.kind == .limitExceeded(.sink))
    #expect(folder.names.isEmpty)
  }

  @Test func `an error's page that an interceptor made is the response's status`() async throws {
    let response = try await download(Canned("no", .complete, status: .notFound)).serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(404))
    #expect(folder.names.isEmpty)
  }

  @Test func `a body that was taken by the interceptor is no empty success`() async throws {
    let session = try Session.Builder().transport(TestBed(.text("all of it")).mock).interceptor(Taking()).build()
    var error = await session.download(TestBed.url, to: .file(folder.file("a"))).serializingFile().response.error
    #expect(error?.kind == .interceptionFailed)
    error = await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest(TestBed.url).serializingBytes() {}
    }
    #expect(error?.kind == .interceptionFailed)
  }

  @Test func `a body states whether a reader consumes it`() async throws {
    let notes = Notes<Bool>()
    let session = try Session.Builder().transport(TestBed(.text("all of it")).mock).interceptor(Asking(notes: notes))
      .build()
    _ = try await session.request(TestBed.url).serializingString().value
    _ = try await session.download(TestBed.url, to: .file(folder.file("a"))).serializingFile().value
    for try await _ in session.streamRequest(TestBed.url).serializingBytes() {}
    #expect(notes.all == [false, false, true])
  }
}

/// Returns a response of its own.
private struct Canned: Interceptor {
  enum Way: Sendable { case complete, begun, late }

  let text: String
  let way: Way
  let head: HTTPResponse

  init(_ text: String, _ way: Way, _ fields: HTTPFields = [:], status: HTTPResponse.Status = .ok) {
    self.text = text
    self.way = way
    head = HTTPResponse(status: status, headerFields: fields)
  }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    if way == .complete { return TransportResponse(head: head, body: .complete(Data(text.utf8))) }
    let (body, writer) = context.makeBody(for: head, resume: {})
    if way == .begun { try write(writer) } else { Task { try write(writer) } }
    return TransportResponse(head: head, body: body)
  }

  private func write(_ writer: ResponseBodyWriter) throws {
    _ = try writer.write(Data(text.utf8))
    writer.finish(metrics: TransferMetrics())
  }
}

/// Reads the body of one response to its end, sends the request again, and returns the first response.
private struct Taking: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let response = try await next(request)
    if response.body.isStreamed { while try await response.body.next() != nil {} }
    _ = try await response.body.end()
    _ = try await next(request)
    return response
  }
}

/// Records whether a reader consumes the body as a stream.
private struct Asking: Interceptor {
  let notes: Notes<Bool>

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let response = try await next(request)
    notes.add(response.body.isStreamed)
    return response
  }
}
