import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import LupineTransfers
import Testing

/// The bodies that count as progress, and the last figure of a transfer.
@Suite struct ProgressFigureTests: TransferSuite {
  let bench: TransferBench
  private let notes = Notes<TransferProgress>()

  init() throws {
    bench = try TransferBench()
  }

  private var whole: MockReply {
    MockReply.resource(Data(count: 10_000), etag: "v1").bandwidth(bytesPerSecond: 1_000)
  }

  /// A response of 7777 bytes, a length that no other body has.
  private func page(_ status: HTTPResponse.Status) -> MockReply {
    .text(String(repeating: "x", count: 7_777), status: status)
  }

  private var pages: [String: MockReply] {
    [
      "redirect": page(.found).field(.location, "/file"),
      "challenge": page(.unauthorized).field(.wwwAuthenticate, "Basic realm=\"a\""),
      "expired URL": page(.forbidden), "retried": page(.serviceUnavailable),
    ]
  }

  /// The completed and the total number of bytes of each report.
  private var figures: [[Int64?]] { notes.all.map { [$0.completed, $0.total] } }

  private func expectOnlyTheFile() {
    #expect(notes.all.filter { $0.total != 10_000 || $0.completed == 7_777 } == [])
    #expect(zip(notes.all, notes.all.dropFirst()).allSatisfy { $0.completed < $1.completed })
    #expect(notes.all.last?.completed == 10_000)
  }

  @Test(arguments: ["redirect", "challenge", "expired URL", "retried"])
  func `the body of an earlier response is no progress of the download`(name: String) async throws {
    mock.stub(.get, "/first", .sequence([try #require(pages[name]), whole]))
    mock.stub(.get, "/file", whole)
    _ = try await session.download("first", to: .file(folder.file("a"))).authenticate(username: "u", password: "p")
      .retrier(.backoff(limit: 1)).refreshingURL { _ in "/file" }.downloadProgress { notes.add($0) }
      .serializingFile().value
    expectOnlyTheFile()
  }

  @Test(arguments: ["redirect", "challenge", "retried"])
  func `the body of an earlier response is no progress of the request`(name: String) async throws {
    mock.stub(.get, "/first", .sequence([try #require(pages[name]), whole]))
    mock.stub(.get, "/file", whole)
    _ = try await session.request("first").authenticate(username: "u", password: "p").validate()
      .retrier(.backoff(limit: 1)).downloadProgress { notes.add($0) }.serializingData().value
    expectOnlyTheFile()
  }

  @Test func `a part that does not continue the file is no progress`() async throws {
    let wrong = page(.partialContent).field(.contentRange, "bytes 0-7776/10000").field(.eTag, "\"v1\"")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 2_000), wrong, whole]))
    _ = try await session.download("a", to: .file(folder.file("a"))).resumesAutomatically()
      .downloadProgress { notes.add($0) }.serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=2000-", nil])
    expectOnlyTheFile()
  }

  @Test func `figures name the bytes that were there before the exchange`() async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 2_000), whole]))
    _ = try await session.download("a", to: .file(folder.file("a"))).resumesAutomatically()
      .downloadProgress { notes.add($0) }.serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=2000-"])
    #expect(notes.all.allSatisfy { $0.resumedBytes == ($0.completed > 2_000 ? 2_000 : 0) })
    #expect(notes.all.last?.resumedBytes == 2_000)
  }

  @Test func `a download that ends with an error's page has no progress`() async throws {
    mock.stub(.get, "/a", page(.notFound))
    let response = await session.download("a").downloadProgress { notes.add($0) }.serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(404))
    #expect(notes.all.isEmpty)
  }

  @Test(arguments: [false, true])
  func `progress counts the body of an error status once, at its end, if that is the response`(isValidated: Bool)
    async throws
  {
    mock.stub(.get, "/a", page(.notFound).bandwidth(bytesPerSecond: 1_000))
    let request = session.request("a").downloadProgress { notes.add($0) }
    if isValidated { request.validate() }
    _ = await request.serializingData().response
    #expect(figures == (isValidated ? [] : [[7_777, 7_777]]))
  }

  @Test func `progress ends at the whole if a restart brings a shorter file`() async throws {
    let shorter = MockReply.resource(Data(count: 5_000), etag: "v2")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 8_000), shorter]))
    _ = try await session.download("a", to: .file(folder.file("a"))).resumesAutomatically()
      .downloadProgress { notes.add($0) }.serializingFile().value
    #expect(figures.last == [5_000, 5_000])
    #expect(notes.all.dropLast().allSatisfy { $0.total == 10_000 })
  }

  @Test func `a failed request ends at the farthest figure, with the total it had`() async throws {
    let shorter = MockReply.resource(Data(count: 5_000), etag: "v2").reset(afterBytes: 1_000)
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 8_000), shorter]))
    let response = await session.request("a").retrier(.backoff(limit: 1)).downloadProgress { notes.add($0) }
      .serializingData().response
    #expect(response.error?.kind == .connectionLost)
    #expect(figures.last == [8_000, 10_000])
  }

  @Test func `a body of unknown length ends with a total`() async throws {
    mock.stub(.get, "/a", MockReply.text("").chunked(["abc", "de"]))
    _ = try await session.request("a").downloadProgress { notes.add($0) }.serializingData().value
    #expect(figures.last == [5, 5])
  }

  @Test func `an empty file, and an empty body that goes up, have a last figure, too`() async throws {
    mock.stub([.get, .put], "/a", .text(""))
    let sent = Notes<TransferProgress>()
    _ = try await session.download("a", to: .file(folder.file("a"))).downloadProgress { notes.add($0) }
      .serializingFile().value
    _ = await session.upload(.bytes(Data()), to: "a", method: .put).uploadProgress { sent.add($0) }.serializingData()
      .response
    #expect(notes.all.map(\.fractionCompleted) == [1])
    #expect(sent.all.map(\.fractionCompleted) == [1])
  }

  @Test func `an answer of an interceptor's own is the whole, whatever came before`() async throws {
    mock.stub(.get, "/a", page(.ok))
    let request = session.request("a").interceptor(OwnAnswer()).downloadProgress { notes.add($0) }
    #expect(try await request.serializingString().value == "own")
    #expect(figures.last == [3, 3])
  }
}

/// Discards the response of the server, and returns a response of its own.
private struct OwnAnswer: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    _ = try await next(request)
    let head = HTTPResponse(status: .ok)
    let (body, writer) = context.makeBody(for: head, resume: {})
    _ = try writer.write(Data("own".utf8))
    writer.finish(metrics: TransferMetrics())
    return TransportResponse(head: head, body: body)
  }
}
