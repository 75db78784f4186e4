import Foundation
import HTTPTypes
import LupineCore
import LupineTransfers
import LupineSession
import LupineFixtures
import LupineMock
import Testing

@Suite struct CheckpointTests: TransferSuite {
  let bench: TransferBench
  let events = EventLog()
  private let text = String(repeating: "0123456789", count: 10)

  init() throws {
    bench = try TransferBench { [events] in $0.monitor(events) }
  }

  private var resource: MockReply { .resource(Data(text.utf8), etag: "v1") }

  private func download(_ path: String) -> DownloadRequest {
    session.download(path, to: .file(folder.file("a"))).checkpoint(folder.file("a.resume"))
  }

  private func interrupt() async throws {
    mock.stub(.get, "https://example.com/a", .sequence([resource.reset(afterBytes: 40), resource]))
    #expect(await download("a").serializingFile().response.error?.kind == .connectionLost)
    #expect(folder.names.contains("a.resume"))
  }

  @Test func `a download with the checkpoint of an earlier one continues, and removes it`() async throws {
    try await interrupt()
    _ = try await download("a").serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=40-"])
    #expect(try folder.text("a") == text)
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [(25, "bytes=25-"), (0, nil)] as [(UInt64, String?)])
  func `the bytes that a power cut took from the end of the file are requested again`(left: UInt64, range: String?)
    async throws
  {
    try await interrupt()
    let name = try #require(folder.names.first { $0 != "a.resume" })
    let file = try #require(FileHandle(forUpdatingAtPath: folder.file(name)))
    try file.truncate(atOffset: left)
    try file.close()
    _ = try await download("a").serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, range])
    #expect(try folder.text("a") == text)
    #expect(folder.names == ["a"])
  }

  @Test func `a checkpoint and a partial file are their owner's alone`() async throws {
    try await interrupt()
    for name in folder.names {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    #expect(folder.names.count == 2)
  }

  /// Changes after which another user may have written a file in a shared folder.
  private static let plants: [(String, @Sendable (String, String) -> Void)] = [
    ("writable by others", { path, _ in chmod(path, 0o666) }),
    ("a second name of a file", { path, other in link(path, other) }),
    (
      "a link to a file",
      { path, other in
        rename(path, other)
        symlink(other, path)
      }
    ),
  ]

  @Test(arguments: [false, true], plants.indices)
  func `a checkpoint or a partial file that others may have written is left aside`(isPartial: Bool, plant: Int)
    async throws
  {
    try await interrupt()
    let name = try #require(isPartial ? folder.names.first { $0 != "a.resume" } : "a.resume")
    Self.plants[plant].1(folder.file(name), folder.file("other"))
    let before = try? folder.text("other")
    _ = try await download("a").serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, nil], "\(Self.plants[plant].0)")
    #expect(try folder.text("a") == text)
    let after = try? folder.text("other")
    #expect(after == before)
  }

  @Test func `the checkpoint of another URL is left aside`() async throws {
    try await interrupt()
    mock.stub(.get, "https://example.com/b", .sequence([resource.reset(afterBytes: 40), resource]))
    #expect(await download("b").serializingFile().response.error?.kind == .connectionLost)
    _ = try await session.download("b", to: .file(folder.file("b"))).checkpoint(folder.file("a.resume"))
      .serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, nil, nil])
    #expect(events.names.count { $0 == "warning" } == 2)
    _ = try await download("a").serializingFile().value
    #expect(mock.requests.last?.headers[.range] == "bytes=40-")
    #expect(!folder.names.contains("a.resume"))
  }

  @Test(arguments: ["{}", "no checkpoint", #"{"version":2}"#], ["v1", nil])
  func `a file that is no checkpoint stays, and the download has none, as a warning says`(content: String, tag: String?)
    async throws
  {
    try folder.write(content, to: "a.resume")
    let whole = MockReply.resource(Data(text.utf8), etag: tag)
    mock.stub(.get, "https://example.com/a", .sequence([whole.reset(afterBytes: 40), whole]))
    #expect(await download("a").serializingFile().response.error?.kind == .connectionLost)
    _ = try await download("a").serializingFile().value
    #expect(try folder.text("a") == text)
    #expect(try folder.text("a.resume") == content)
    #expect(events.names.count { $0 == "warning" } == 2)
    #expect(events.names.count { $0 == "continued" } == 2)
  }

  @Test func `an empty file takes a checkpoint`() async throws {
    try folder.write("", to: "a.resume")
    try await interrupt()
    _ = try await download("a").serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=40-"])
    #expect(folder.names == ["a"])
  }

  @Test func `a file without a validator leaves no checkpoint`() async throws {
    mock.stub(.get, "https://example.com/a", MockReply.text(text).reset(afterBytes: 40))
    #expect(await download("a").serializingFile().response.error?.kind == .connectionLost)
    #expect(folder.names.isEmpty)
  }

  @Test func `a download that cannot begin keeps the checkpoint and the partial file`() async throws {
    try await interrupt()
    let offline = MockTransport()
    offline.stub(.get, "/a", .failure(.connectionRefused))
    let other = try Session.Builder().transport(offline).baseURL("https://example.com").build()
    let response = await other.download("a", to: .file(folder.file("a"))).checkpoint(folder.file("a.resume"))
      .serializingFile().response
    #expect(response.resumeData != nil)
    _ = try await download("a").serializingFile().value
    #expect(mock.requests.last?.headers[.range] == "bytes=40-")
  }

  @Test func `a redirected download continues from its original URL`() async throws {
    mock.stub(.get, "https://example.com/start", .redirect(to: "https://files.example.com/a"))
    mock.stub(.get, "https://files.example.com/a", .sequence([resource.reset(afterBytes: 40), resource]))
    for _ in 0..<2 { _ = await download("start").serializingFile().response }
    #expect(mock.requests.map(\.url.path) == ["/start", "/a", "/start", "/a"])
    #expect(mock.requests.map { $0.headers[.range] } == [nil, nil, "bytes=40-", "bytes=40-"])
    #expect(try folder.text("a") == text)
  }

  @Test func `a download whose URL an adapter changes continues`() async throws {
    mock.stub(.get, "https://example.com/signed", .sequence([resource.reset(afterBytes: 40), resource]))
    for _ in 0..<2 { _ = await download("plain").adapter(Signing()).serializingFile().response }
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=40-"])
    #expect(try folder.text("a") == text)
  }

  @Test func `a download from a fresh URL continues from its original URL`() async throws {
    mock.stub(.get, "https://example.com/old", .status(.forbidden))
    mock.stub(.get, "https://example.com/new", .sequence([resource.reset(afterBytes: 40), resource]))
    for _ in 0..<2 {
      let request = download("old").refreshingURL { _ in "https://example.com/new" }
      _ = await request.serializingFile().response
    }
    #expect(mock.requests.map(\.url.path) == ["/old", "/new", "/old", "/new"])
    #expect(mock.requests.map { $0.headers[.range] } == [nil, nil, "bytes=40-", "bytes=40-"])
    #expect(try folder.text("a") == text)
  }

  @Test func `a discarded checkpoint leaves nothing, and a file that is no checkpoint stays`() async throws {
    try await interrupt()
    try folder.write("no checkpoint", to: "b")
    DownloadRequest.discard(checkpoint: folder.file("a.resume"))
    DownloadRequest.discard(checkpoint: folder.file("b"))
    #expect(folder.names == ["b"])
  }

  @Test func `a file that was refused is not kept`() async throws {
    mock.stub(.get, "https://example.com/a", resource)
    let response = await download("a").validate(contentType: ["image/png"]).serializingFile().response
    #expect(response.error != nil)
    #expect(response.resumeData == nil)
    #expect(folder.names.isEmpty)
  }
}

/// An adapter that replaces the URL of each request.
private struct Signing: RequestAdapter {
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    request.url = try HTTPURL("https://example.com/signed")
    return request
  }
}
