import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineStreams
import LupineTransfers
import Testing

/// Data requests, downloads and streams accept the same descriptions of a request.
@Suite struct SessionRequestsTests {
  private struct Search: Encodable, Sendable {
    let word: String
  }

  private static let url = "https://example.com/find?x=1"
  private let mock = MockTransport()
  private let session: Session

  init() throws {
    mock.stub([.get], "/{any...}", .text("found"))
    session = try Session.Builder().transport(mock).build()
  }

  private var queries: [String?] { mock.requests.map(\.url.query) }

  private func download(_ request: DownloadRequest) async throws {
    let file = try await request.serializingFile().value
    try FileManager.default.removeItem(at: file)
  }

  private func read(_ request: DataStreamRequest) async throws {
    for try await _ in request.serializingBytes() {}
  }

  @Test func `each takes parameters of a program's own type`() async throws {
    let search = Search(word: "a")
    _ = try await session.request(Self.url, parameters: search).serializingData().value
    try await download(session.download(Self.url, parameters: search))
    try await read(session.streamRequest(Self.url, parameters: search))
    #expect(queries == ["x=1&word=a", "x=1&word=a", "x=1&word=a"])
  }

  @Test func `each takes parameters whose values have types of their own`() async throws {
    let values: [String: any Encodable & Sendable] = ["word": "a"]
    _ = try await session.request(Self.url, parameters: values).serializingData().value
    try await download(session.download(Self.url, parameters: values))
    try await read(session.streamRequest(Self.url, parameters: values))
    #expect(queries == ["x=1&word=a", "x=1&word=a", "x=1&word=a"])
  }

  @Test func `each takes literals, and none`() async throws {
    _ = try await session.request(Self.url, parameters: ["word": "a"]).serializingData().value
    try await download(session.download(Self.url, parameters: ["word": "a"]))
    try await read(session.streamRequest(Self.url, parameters: ["word": "a"]))
    _ = try await session.request(Self.url, parameters: nil).serializingData().value
    try await download(session.download(Self.url))
    try await read(session.streamRequest(Self.url, parameters: nil))
    #expect(queries == ["x=1&word=a", "x=1&word=a", "x=1&word=a", "x=1", "x=1", "x=1"])
  }
}
