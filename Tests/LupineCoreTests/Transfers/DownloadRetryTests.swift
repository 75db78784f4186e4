import Foundation
import LupineCoding
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

/// Downloads that are repeated after a serializer of their file has failed.
@Suite struct DownloadRetryTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  private let bad = MockReply.resource(Data("{bad}".utf8), etag: "v1")
  private let good = MockReply.resource(Data("[1]".utf8), etag: "v1")
  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  private func download(
    _ replies: [MockReply], _ retrier: any Retrier, _ options: DownloadDestination.Options = []
  ) -> DownloadRequest {
    mock.stub(.get, "/a", .sequence(replies))
    return session.download("a", to: .file(folder.file("a"), options)).retrier(retrier)
  }

  @Test func `the file of the second attempt replaces that of the first`() async throws {
    let retrier = LimitedRetrier()
    let request = download([bad, good], retrier)
    let response = await request.serializingJSON().response
    #expect(response.value == [1])
    #expect(response.fileURL?.path == folder.file("a"))
    #expect(request.retryCount == 1)
    #expect(ranges == [nil, nil])
    #expect(folder.names == ["a"])
    #expect(try folder.text("a") == "[1]")
    let seen = try #require(retrier.notes.all.first)
    #expect(retrier.notes.all.count == 1)
    #expect(seen.failedInSerializer)
    #expect(seen.error?.kind == .serializationFailed)
    #expect(seen.error?.body == Data("{bad}".utf8))
  }

  @Test func `without a retry the file is at its destination, and the serializer has its error`() async throws {
    let retrier = LimitedRetrier(limit: 0)
    let request = download([bad], retrier)
    let response = await request.serializingJSON().response
    #expect(response.error?.kind == .serializationFailed)
    #expect(response.fileURL?.path == folder.file("a"))
    #expect(try folder.text("a") == "{bad}")
    #expect(try await request.serializingFile().value.path == folder.file("a"))
    #expect(folder.names == ["a"])
    #expect(retrier.notes.all.count == 1)
    #expect(mock.requests.count == 1)
  }

  @Test func `the attempts have a limit, and the last file stays`() async throws {
    let last = MockReply.text("{last}")
    let request = download([bad, bad, last], LimitedRetrier(limit: 2))
    #expect(await request.serializingJSON().response.error?.kind == .serializationFailed)
    #expect(mock.requests.map(\.attempt) == [1, 2, 3])
    #expect(folder.names == ["a"])
    #expect(try folder.text("a") == "{last}")
  }

  @Test(arguments: [false, true])
  func `the policies of Lupine do not repeat it`(isResumed: Bool) async throws {
    mock.stub(.get, "/a", bad)
    let request = session.download("a", to: .file(folder.file("a"))).retrier(.backoff(limit: 3))
    if isResumed { request.resumesAutomatically() }
    let lost = ClosureResponseSerializer<String> { _ in throw LupineError(.connectionLost, "The serializer failed.") }
    #expect(await request.serializingResponse(using: lost).response.error?.kind == .connectionLost)
    #expect(mock.requests.count == 1)
    #expect(folder.names == ["a"])
  }

  @Test func `every consumer receives the last file, and each serializer runs once for a file`() async throws {
    let (any, array, results) = (AnyText(), ArrayText(), Notes<String?>())
    download([bad, good], LimitedRetrier()).startsImmediately(false)
      .response { results.add($0.value?.lastPathComponent) }
      .response(responseSerializer: any) { results.add($0.value) }
      .response(responseSerializer: array) { results.add($0.value) }
      .responseString { [folder] in results.add($0.value.map { "\($0), of \(folder.names)" }) }
      .resume()
    await session.finishRequests()
    #expect(results.all == ["a", "[1]", "[1]", "[1], of [\"a\"]"])
    #expect(any.notes.all == ["{bad}", "[1]"])
    #expect(array.notes.all == ["{bad}", "[1]"])
  }

  @Test func `during the attempts the destination has its earlier file`() async throws {
    try Data("old".utf8).write(to: URL(filePath: folder.file("a")))
    let seen = Notes<String?>()
    let serializer = ClosureResponseSerializer { [folder] response in
      seen.add(try? folder.text("a"))
      guard response.data.first == UInt8(ascii: "[") else { throw NoArray() }
    }
    let request = download([bad, good], LimitedRetrier(), .removePreviousFile)
    try await request.serializingResponse(using: serializer).value
    #expect(seen.all == ["old", "old"])
    #expect(folder.names == ["a"])
    #expect(try folder.text("a") == "[1]")
  }

  @Test func `a destination that must not be replaced keeps its file, and no retrier decides in a serializer's place`()
    async throws
  {
    try Data("old".utf8).write(to: URL(filePath: folder.file("a")))
    let request = download([bad, good], LimitedRetrier(limit: 0))
    #expect(await request.serializingJSON().response.error?.kind == .fileFailed)
    #expect(folder.names == ["a"])
    #expect(try folder.text("a") == "old")
  }

  @Test func `missing folders are created, and only the last file is in them`() async throws {
    mock.stub(.get, "/a", .sequence([bad, good]))
    let place = DownloadDestination.file(folder.file("x/y/a"), .createIntermediateDirectories)
    #expect(try await session.download("a", to: place).retrier(LimitedRetrier()).serializingJSON().value == [1])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("x/y")) == ["a"])
  }

  @Test func `a temporary file of a failed attempt is removed`() async throws {
    mock.stub(.get, "/a", .sequence([bad, good]))
    let path = Notes<String>()
    let request = session.download(
      "a",
      to: .custom { [folder] _ in
        path.add("")
        return (folder.file("\(path.all.count)"), [])
      }
    ).retrier(LimitedRetrier())
    let file = try #require(await request.serializingJSON().response.fileURL)
    #expect(file.path == folder.file("2"))
    #expect(folder.names == ["2"])
  }

  @Test func `a cancellation between two attempts leaves no file`() async throws {
    let clock = TestClock()
    let bench = try TransferBench { $0.clock(clock) }
    try Data("old".utf8).write(to: URL(filePath: bench.folder.file("a")))
    bench.mock.stub(.get, "https://example.com/a", bad)
    let request = bench.session
      .download("a", to: .file(bench.folder.file("a"), .removePreviousFile))
      .checkpoint(bench.folder.file("a.resume")).retrier(Always(decision: .retryAfter(.seconds(60))))
    async let response = request.serializingJSON().response
    await clock.waitForSleepers()
    #expect(bench.folder.names == ["a"])
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
    #expect(await response.resumeData == nil)
    #expect(await response.fileURL == nil)
    #expect(bench.folder.names == ["a"])
    #expect(try bench.folder.text("a") == "old")
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a cancellation while a serializer runs keeps what can be resumed`() async throws {
    let request = download([bad, good], LimitedRetrier())
    let serializer = ClosureResponseSerializer { [weak execution = request.execution] _ in
      execution?.cancel()
      throw NoArray()
    }
    let response = await request.serializingResponse(using: serializer).response
    #expect(response.error?.kind == .cancelled)
    try DownloadRequest.discard(try #require(response.resumeData))
    #expect(folder.names.isEmpty)
    #expect(mock.requests.count == 1)
  }

  @Test func `a retrier that ends the request leaves no file`() async throws {
    let request = download([bad], Always(decision: .fail(LupineError(.retryRefused, "That is enough."))))
    let response = await request.serializingJSON().response
    #expect(response.error?.kind == .retryRefused)
    #expect((response.error?.underlying as? LupineError)?.kind == .serializationFailed)
    #expect(folder.names.isEmpty)
  }

  @Test func `a digest is compared before a serializer runs, and no retrier decides about it`() async throws {
    let (array, retrier) = (ArrayText(), LimitedRetrier())
    let request = download([bad, good], retrier).expecting(.sha256(DownloadOptionsTests.abc))
    let response = await request.serializingResponse(using: array).response
    #expect(response.error?.kind == .digestMismatch)
    #expect(array.notes.all.isEmpty)
    #expect(retrier.notes.all.isEmpty)
    #expect(folder.names.isEmpty)
    #expect(mock.requests.count == 1)
  }

  @Test func `the digest is compared for each file`() async throws {
    let abc = MockReply.resource(Data("abc".utf8), etag: "v1")
    let request = download([abc, bad], LimitedRetrier()).expecting(.sha256(DownloadOptionsTests.abc))
    let response = await request.serializingJSON().response
    #expect(response.error?.kind == .digestMismatch)
    #expect(folder.names.isEmpty)
    #expect(mock.requests.count == 2)
  }

  @Test(arguments: [ResumePolicy.restart, .fail])
  func `a resumed file is requested again as a whole`(policy: ResumePolicy) async throws {
    mock.stub(.get, "/a", .sequence([bad.reset(afterBytes: 2), bad, good]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let request = session.download(resumingWith: try #require(data), otherwise: policy).retrier(LimitedRetrier())
    #expect(try await request.serializingJSON().value == [1])
    #expect(ranges == [nil, "bytes=2-", nil])
    #expect(folder.names == ["a"])
    #expect(try folder.text("a") == "[1]")
  }

  @Test func `a retry after a response without a file continues what had arrived`() async throws {
    mock.stub(.get, "/a", .sequence([good.reset(afterBytes: 2), .status(.noContent), good]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let request = session.download(resumingWith: try #require(data)).retrier(LimitedRetrier())
    #expect(try await request.serializingResponse(using: ArrayText()).value == "[1]")
    #expect(ranges == [nil, "bytes=2-", "bytes=2-"])
    #expect(folder.names == ["a"])
  }

  @Test func `an earlier version stays until a file is accepted`() async throws {
    let other = MockReply.resource(Data("{other}".utf8), etag: "v2")
    mock.stub(.get, "/a", .sequence([bad.reset(afterBytes: 2), other, .status(.notFound)]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let request = session.download(resumingWith: try #require(data)).retrier(LimitedRetrier()).validate()
    let response = await request.serializingJSON().response
    #expect(response.error?.kind == .unacceptableStatusCode(404))
    #expect(try folder.names.map { try folder.text($0) } == ["{b"])
    try DownloadRequest.discard(try #require(response.resumeData))
    #expect(folder.names.isEmpty)
  }

  @Test func `an interrupted second attempt can be resumed`() async throws {
    let request = download([bad, good.reset(afterBytes: 2), good], LimitedRetrier())
      .checkpoint(folder.file("a.resume"))
    let response = await request.serializingJSON().response
    #expect(response.error?.kind == .connectionLost)
    #expect(folder.names.count == 2)
    let file = session.download(resumingWith: try #require(response.resumeData), otherwise: .fail)
    #expect(try await file.serializingJSON().value == [1])
    #expect(ranges == [nil, nil, "bytes=2-"])
    #expect(try folder.text("a") == "[1]")
  }

  @Test func `the checkpoint of a repeated download is removed at the end`() async throws {
    let request = download([bad, good], LimitedRetrier()).checkpoint(folder.file("a.resume"))
    #expect(try await request.serializingJSON().value == [1])
    #expect(folder.names == ["a"])
  }

  @Test func `progress ends with the length of the last file`() async throws {
    let progress = Notes<Int64>()
    let request = download([bad, good], LimitedRetrier()).downloadProgress { progress.add($0.completed) }
    _ = try await request.serializingJSON().value
    #expect(progress.all.last == 3)
  }

  @Test func `a status that is no success has no file to serialize`() async throws {
    let (array, retrier) = (ArrayText(), LimitedRetrier())
    let response = await download([.status(.notModified), good], retrier).serializingResponse(using: array).response
    #expect(response.error?.kind == .unacceptableStatusCode(304))
    #expect(array.notes.all.isEmpty)
    #expect(retrier.notes.all.isEmpty)
    #expect(folder.names.isEmpty)
  }

  @Test func `a file that is larger than memory may hold is not read`() async throws {
    var limits = Limits()
    limits.responseBody = 4
    let bench = try TransferBench { $0.limits(limits) }
    bench.mock.stub(.get, "https://example.com/a", .sequence([bad, good]))
    let retrier = LimitedRetrier()
    let request = bench.session.download("a", to: .file(bench.folder.file("a"))).retrier(retrier)
    #expect(try await request.serializingString().value == "[1]")
    #expect(retrier.notes.all.map { $0.error?.kind } == [.limitExceeded(.responseBody)])
  }

  @Test(.enabled(if: OtherFileSystem.isThere))
  func `a file that was copied to another file system is removed as well`() async throws {
    let other = try OtherFileSystem.folder()
    mock.stub(.get, "/a", .sequence([bad.reset(afterBytes: 2), bad, good]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let request = session.download(resumingWith: try #require(data), to: .file(other.file("a"))).retrier(
      LimitedRetrier())
    #expect(try await request.serializingJSON().value == [1])
    #expect(folder.names.isEmpty)
    #expect(other.names == ["a"])
  }

  @Test func `a consumer that is added after the end does not repeat the download`() async throws {
    let retrier = LimitedRetrier()
    let request = download([bad, good], retrier)
    #expect(try await request.serializingString().value == "{bad}")
    #expect(await request.serializingJSON().response.error?.kind == .serializationFailed)
    #expect(mock.requests.count == 1)
    #expect(retrier.notes.all.isEmpty)
  }
}
