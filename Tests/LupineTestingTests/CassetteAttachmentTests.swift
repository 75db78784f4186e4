import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
@testable import LupineTesting
import Synchronization
import Testing

/// The archive of its exchanges that a failing test with a cassette has as an attachment.
@Suite struct CassetteAttachmentTests {
  /// The members of an archive that other programs show.
  private struct Archive: Decodable {
    struct Log: Decodable { let version: String, entries: [Entry] }
    struct Entry: Decodable { let request: Request, response: Response }
    struct Request: Decodable { let method: String, url: String, headers: [Field], postData: Content? }
    struct Response: Decodable { let status: Int, headers: [Field], content: Content }
    struct Content: Decodable { let mimeType: String, text: String? }
    struct Field: Decodable { let name: String, value: String }

    let log: Log
  }

  /// A transport that answers as a server does, and is none.
  private struct Server: WrappingTransport {
    let base: any Transport
    var isVirtual: Bool { false }
  }

  private static let (password, token) = ("correct-horse-battery", "tkn-4711-0815")
  private static let page = String(repeating: "A long text, which is in a file beside the cassette.\n", count: 2_000)

  private static func server() -> Server {
    let mock = MockTransport()
    mock.stub(
      .post, "/login", .text(#"{"user":"ada","access_token":"\#(token)"}"#, contentType: "application/json"))
    mock.stub(.get, "/page", .text(page))
    return Server(base: mock)
  }

  /// Runs a test that logs in, reads a page and fails if it is told to; returns its attachments.
  private static func run(
    _ folder: TemporaryFolder, _ mode: CassetteMode, isFailing: Bool
  ) async throws -> [(name: String, archive: [UInt8])] {
    let test = try #require(Test.current)
    let attachments = Mutex<[(name: String, archive: [UInt8])]>([])
    let trait = CassetteTrait.cassette("users", in: folder.path, mode: mode)
    await withKnownIssue(isIntermittent: true) {
      try await CassetteScope.$attach.withValue({ bytes, name, _ in attachments.withLock { $0.append((name, bytes)) } })
      {
        try await trait.provideScope(for: test, testCase: nil) {
          let session = try Session.Builder().transport(server()).clock(ImmediateClock()).build()
          let login = try OutgoingRequest(
            "https://example.com/login?api_key=\(token)", method: .post,
            headers: [.authorization: "Bearer \(token)", .contentType: "application/json"],
            body: .text(#"{"user":"ada","password":"\#(password)"}"#))
          _ = try await session.request(login).serializingString().value
          _ = try await session.request("https://example.com/page").serializingString().value
          if isFailing { Issue.record("The test fails.") }
        }
      }
    }
    return attachments.withLock { $0 }
  }

  @Test(arguments: [CassetteMode.record, .replay])
  func `a failing test attaches its exchanges, without a secret`(mode: CassetteMode) async throws {
    let folder = try TemporaryFolder()
    if mode == .replay { _ = try await Self.run(folder, .record, isFailing: false) }
    let attachments = try await Self.run(folder, mode, isFailing: true)
    #expect(attachments.map(\.name) == ["users.har"])
    let bytes = try #require(attachments.first?.archive)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains(Self.password) && !text.contains(Self.token))

    let log = try JSONDecoder().decode(Archive.self, from: Data(bytes)).log
    #expect(log.version == "1.2")
    #expect(log.entries.map(\.request.method) == ["POST", "GET"])
    #expect(
      log.entries.map(\.request.url) == ["https://example.com/login?api_key=REDACTED-1", "https://example.com/page"])
    #expect(log.entries.map(\.response.status) == [200, 200])
    let login = try #require(log.entries.first)
    #expect(login.request.headers.first { $0.name.lowercased() == "authorization" }?.value == "Bearer REDACTED-1")
    #expect(login.request.postData?.mimeType == "application/json")
    #expect(login.request.postData?.text == #"{"user":"ada","password":"REDACTED-2"}"#)
    #expect(login.response.content.text == #"{"user":"ada","access_token":"REDACTED-1"}"#)
    #expect(log.entries.last?.response.content.text == Self.page)
  }

  @Test(arguments: [CassetteMode.record, .replay]) func `a test that passes attaches nothing`(mode: CassetteMode)
    async throws
  {
    let folder = try TemporaryFolder()
    if mode == .replay { _ = try await Self.run(folder, .record, isFailing: false) }
    #expect(try await Self.run(folder, mode, isFailing: false).isEmpty)
  }
}
