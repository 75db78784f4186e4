import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineStreams
import LupineTransfers
import Testing

@Suite struct DownloadOptionsTests: TransferSuite {
  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  let events = EventLog()
  let bench: TransferBench

  init() throws {
    bench = try TransferBench { [events] in $0.monitor(events) }
  }

  private let text = String(repeating: "0123456789", count: 10)
  private var resource: MockReply { .resource(Data(text.utf8), etag: "v1") }

  private func stub(_ path: String = "a", _ replies: MockReply...) {
    mock.stub(.get, "https://example.com/\(path)", .sequence(replies))
  }

  private func download(_ path: String = "a") -> DownloadRequest {
    session.download(path, to: .file(folder.file("a")))
  }

  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  // Digests

  @Test(arguments: [abc, abc.uppercased()])
  func `a file with the expected digest arrives`(digest: String) async throws {
    stub("a", .text("abc"))
    _ = try await download().expecting(.sha256(digest)).serializingFile().value
    #expect(folder.names == ["a"])
  }

  /// Malformed digests; each of the last five has 64 characters or 64 bytes.
  private static let malformed: [String] = [
    "", "xyz", "abc", "\(abc.dropLast())", "\(abc)0", "\(abc.dropLast())g", " \(abc.dropFirst())",
    "0x\(abc.dropFirst(2))", "\(abc.dropLast())\u{FF11}", "\(abc.dropLast(3))\u{FF11}",
  ]

  @Test(arguments: malformed)
  func `a malformed digest is refused before anything is sent, and the existing file stays`(digest: String) async throws
  {
    try folder.write("old", to: "a")
    stub("a", .text("abc"))
    let request = session.download("a", to: .file(folder.file("a"), .removePreviousFile)).resumesAutomatically()
    let response = await request.retrier(.backoff()).expecting(.sha256(digest)).serializingFile().response
    #expect(response.error?.kind == .invalidRequest)
    #expect(response.error?.message.contains("SHA-256") == true)
    #expect(mock.requests.isEmpty)
    #expect(try folder.text("a") == "old")
    #expect(folder.names == ["a"])
  }

  @Test func `a malformed digest costs an interrupted download nothing`() async throws {
    stub("a", resource.reset(afterBytes: 40), resource)
    let data = try #require(await download().serializingFile().response.resumeData)
    let refused = await session.download(resumingWith: data).expecting(.sha256("xyz")).serializingFile().response
    #expect(refused.error?.kind == .invalidRequest)
    #expect(mock.requests.count == 1)
    _ = try await session.download(resumingWith: try #require(refused.resumeData)).serializingFile().value
    #expect(try folder.text("a") == text)
    #expect(ranges == [nil, "bytes=40-"])
  }

  @Test(arguments: ["\(abc.dropLast())e", String(repeating: "0", count: 64)])
  func `a file with another digest is removed, and the existing file stays`(digest: String) async throws {
    try folder.write("old", to: "a")
    stub("a", .resource(Data("abc".utf8), etag: "v1"))
    let request = session.download("a", to: .file(folder.file("a"), .removePreviousFile)).expecting(.sha256(digest))
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .digestMismatch)
    #expect(response.resumeData == nil)
    #expect(try folder.text("a") == "old")
    #expect(folder.names == ["a"])
  }

  @Test func `the digest counts what an earlier attempt brought`() async throws {
    let abc = MockReply.resource(Data("abc".utf8), etag: "v1")
    stub("a", abc.reset(afterBytes: 1), abc)
    _ = try await download().resumesAutomatically().expecting(.sha256(Self.abc)).serializingFile().value
    #expect(ranges == [nil, "bytes=1-"])
  }

  // Automatic resumption

  @Test func `a download continues as long as each attempt brings bytes`() async throws {
    let cut = resource.reset(afterBytes: 10)
    stub("a", cut, cut, cut, cut, cut, cut, cut, cut, cut, resource)
    _ = try await download().resumesAutomatically(limit: 1).serializingFile().value
    #expect(try folder.text("a") == text)
    #expect(mock.requests.count == 10)
    #expect(ranges.last == "bytes=90-")
    #expect(events.names.count { $0 == "continued" } == 9)
  }

  @Test func `a download ends after so many attempts that brought nothing, and can be resumed`() async throws {
    stub("a", resource.reset(afterBytes: 10), .failure(.connectionRefused))
    let response = await download().resumesAutomatically(limit: 3).serializingFile().response
    #expect(response.error?.kind == .connectionRefused)
    #expect(mock.requests.count == 4)
    #expect(response.resumeData != nil)
  }

  @Test func `the next attempt continues after an attempt that timed out`() async throws {
    try await withSimulation { _ in
      let mock = MockTransport()
      mock.stub(.get, "https://example.com/a", resource.bandwidth(bytesPerSecond: 10))
      let session = try Session.Builder().transport(mock).timeouts(attempt: .seconds(4)).build()
      _ = try await session.download("https://example.com/a", to: .file(folder.file("a"))).resumesAutomatically()
        .serializingFile().value
      #expect(mock.requests.count > 1)
      #expect(try folder.text("a") == text)
    }
  }

  @Test func `a refusal is no interruption`() async throws {
    stub("a", .status(.forbidden))
    let response = await download().resumesAutomatically().serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(403))
    #expect(mock.requests.count == 1)
  }

  // Fresh URLs

  @Test func `an expired URL is replaced, and the download continues`() async throws {
    stub("old", resource.reset(afterBytes: 40), .status(.forbidden))
    stub("new", resource)
    let request = download("old").resumesAutomatically().refreshingURL { head in
      #expect(head.status.code == 403)
      return "https://example.com/new"
    }
    _ = try await request.serializingFile().value
    #expect(try folder.text("a") == text)
    #expect(mock.requests.map(\.url.path) == ["/old", "/old", "/new"])
    #expect(ranges == [nil, "bytes=40-", "bytes=40-"])
  }

  @Test func `a fresh URL is asked for once in an attempt, and secrets do not go to another origin`() async throws {
    stub("a", .status(.unauthorized))
    mock.stub(.get, "https://other.example.com/a", .status(.gone))
    let request = session.download("a", headers: [.authorization: "secret", .accept: "*/*"]).refreshingURL { _ in
      "https://other.example.com/a"
    }
    #expect(await request.serializingFile().response.error?.kind == .unacceptableStatusCode(410))
    #expect(mock.requests.map { $0.headers[.authorization] } == ["secret", nil])
    #expect(mock.requests.map { $0.headers[.accept] } == ["*/*", "*/*"])
  }

  @Test func `one server's Host goes to no other, neither with the fresh URL nor with a retry of it`() async throws {
    stub("a", .status(.gone))
    mock.stub(.get, "https://other.example.com/a", .sequence([.status(.serviceUnavailable), .text("content")]))
    let host = try #require(HTTPField.Name("Host"))
    let request = session.download("a", headers: [.init(host): "name", .accept: "*/*"]).retrier(.backoff(limit: 1))
      .refreshingURL { _ in "https://other.example.com/a" }
    _ = try await request.serializingFile().value
    #expect(mock.requests.map { $0.headers[host] } == ["name", nil, nil])
    #expect(mock.requests.map { $0.headers[.accept] } == ["*/*", "*/*", "*/*"])
  }

  @Test(arguments: [true, false], [true, false])
  func `a fresh URL elsewhere gets no credential, neither at once nor in a retry`(
    isKnown: Bool, isIntercepted: Bool
  ) async throws {
    stub("a", .status(.gone))
    let challenge = MockReply.challenge("Basic realm=\"elsewhere\"")
    mock.stub(.get, "https://other.example.com/a", .sequence([.status(.serviceUnavailable), challenge]))
    let request = download().retrier(.backoff(limit: 1)).refreshingURL { _ in "https://other.example.com/a" }
    let credential = Credential(username: "u", password: "p")
    let armed = isKnown ? request.authenticate(with: credential) : request.onChallenge { _ in credential }
    if isIntercepted { armed.interceptor(Passing()) }
    #expect(await armed.serializingFile().response.error?.kind == .unacceptableStatusCode(401))
    #expect(mock.requests.map(\.url.host) == ["example.com"] + Array(repeating: "other.example.com", count: 3))
    #expect(mock.requests.allSatisfy { $0.headers[.authorization] == nil })
  }

  @Test func `a refusal behind a fresh URL elsewhere is no reason to refresh a token`() async throws {
    let tokens = TokenWorld(valid: ["t0"])
    tokens.mock.stub(.get, "https://api.example.com/a", priority: 1, .status(.gone))
    tokens.mock.stub(
      .get, "https://other.example.com/a", priority: 1, .sequence([.status(.serviceUnavailable), .challenge("Bearer")]))
    let request = try tokens.session().download("a", to: .file(folder.file("a"))).retrier(.backoff(limit: 1))
      .refreshingURL { _ in "https://other.example.com/a" }
    #expect(await request.serializingFile().response.error?.kind == .unacceptableStatusCode(401))
    #expect(tokens.tokens == ["Bearer t0", nil, nil, nil])
    #expect(tokens.refreshes == 0)
  }

  @Test(arguments: [401, 403, 404, 407, 410])
  func `a proxy's refusal does not refresh the URL`(status: Int) async throws {
    stub("a", .refusedByProxy(HTTPResponse.Status(code: status)))
    let request = download().refreshingURL { _ in
      Issue.record("the program was asked for a fresh URL")
      return "https://example.com/new"
    }
    #expect(await request.serializingFile().response.error?.kind == .unacceptableStatusCode(status))
    #expect(mock.requests.count == 1)
  }

  @Test func `an error of the closure ends the download`() async throws {
    stub("a", .status(.gone))
    let request = download().refreshingURL { _ in throw CancellationError() }
    #expect(await request.serializingFile().response.error?.kind == .other)
  }

  // Limits

  /// A range of the file without a `Content-Length`; a 206 response states the length of the whole file.
  private func part(_ range: Range<Int>, status: HTTPResponse.Status) -> MockReply {
    let bytes = String(text.dropFirst(range.lowerBound).prefix(range.count))
    let part = MockReply.text("", status: status).chunked([bytes]).field(.eTag, "\"v1\"")
    return status == .ok
      ? part : part.field(.contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(text.utf8.count)")
  }

  @Test(arguments: [99, 100])
  func `a file has its own limit, which counts the bytes of the partial file`(limit: Int64) async throws {
    stub("a", part(0..<100, status: .ok).reset(afterBytes: 40), part(40..<100, status: .partialContent))
    let response = await download().resumesAutomatically().sizeLimit(limit).serializingFile().response
    #expect(response.error?.kind == (limit == 99 ? .limitExceeded(.sink) : nil))
    #expect(ranges == [nil, "bytes=40-"])
    #expect(folder.names.contains("a") == (limit == 100))
  }

  @Test(arguments: [99, 100])
  func `a file whose stated length is over the limit is refused at its head, and the existing file stays`(limit: Int64)
    async throws
  {
    try folder.write("old", to: "a")
    stub("a", resource.reset(afterBytes: 1), resource)
    let request = session.download("a", to: .file(folder.file("a"), .removePreviousFile)).resumesAutomatically()
    let response = await request.sizeLimit(limit).serializingFile().response
    #expect(response.error?.kind == (limit == 99 ? .limitExceeded(.sink) : nil))
    #expect(limit == 100 || response.error?.message.contains("sizeLimit") == true)
    #expect(ranges == (limit == 99 ? [nil] : [nil, "bytes=1-"]))
    #expect(folder.names == ["a"])
    #expect(try folder.text("a") == (limit == 99 ? "old" : text))
  }

  @Test func `a rest whose stated length is over the limit is refused at its head, and the partial file stays`()
    async throws
  {
    stub("a", resource.reset(afterBytes: 40), resource)
    let data = await download().serializingFile().response.resumeData
    let response = await session.download(resumingWith: try #require(data)).sizeLimit(99).serializingFile().response
    #expect(response.error?.kind == .limitExceeded(.sink))
    #expect(response.error?.message.contains("sizeLimit") == true)
    #expect(response.resumeData != nil)
    #expect(try folder.names.map { try folder.text($0).utf8.count } == [40])
  }

  @Test(arguments: [99, 100])
  func `a stream has its own limit`(limit: Int64) async throws {
    stub("a", resource)
    var error: LupineError?
    do throws(LupineError) {
      for try await _ in session.streamRequest("a").serializingBytes(limit: limit) {}
    } catch let failure { error = failure }
    #expect(error?.kind == (limit == 99 ? .limitExceeded(.sink) : nil))
  }
}

/// An interceptor that changes neither the request nor the response.
private struct Passing: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse { try await next(request) }
}
