import FoundationEssentials
import HTTPTypes
import LupineCache
import LupineCompression
import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import LupineTransfers
import Synchronization
import Testing

@testable import LupineAuthentication

@Suite struct ContentDigestTests {
  /// The content `{"hello": "world"}` and its digests (RFC 9530 appendix B).
  private static let content = "{\"hello\": \"world\"}"
  private static let sha256 = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
  private static let sha512 = SignatureVector.digest
  private static let wrong = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"

  private static func session(
    _ mock: MockTransport, _ digest: ContentDigest = .init(), _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> Session {
    try change(Session.Builder().transport(mock).baseURL("https://api.example.com").install(digest)).build()
  }

  /// Counts the failures that monitors see.
  private final class Failures: EventMonitor {
    private let sum = Mutex(0)

    var count: Int { sum.withLock { $0 } }

    func receive(_ event: SessionEvent) { if case .failed = event.kind { sum.withLock { $0 += 1 } } }
  }

  private static func answering(_ digests: String..., content: String = content) -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/", digests.reduce(MockReply.text(content)) { $0.field("Content-Digest", $1) })
    return mock
  }

  @Test(arguments: [(ContentDigest.Algorithm.sha256, sha256), (.sha512, sha512)])
  func `a request with a body has its digest`(_ algorithm: ContentDigest.Algorithm, _ digest: String) async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .empty)
    mock.stub(.get, "/", .empty)
    let session = try Self.session(mock, ContentDigest(algorithm))
    _ = await session.upload(.text(Self.content), to: "/").serializingData().response
    _ = await session.request("/").serializingData().response
    #expect(mock.requests.map { $0.headers[.contentDigest] } == [digest, nil])
  }

  @Test func `a body that can be read only once has no digest`() async throws {
    let bytes = AsyncStream<[UInt8]> { $0.finish() }
    let session = try Self.session(MockTransport())
    let response = await session.upload(.oneShot(bytes), to: "/").serializingData().response
    #expect(response.error?.kind == .adaptationFailed)
  }

  @Test(arguments: [
    [sha256], [sha512], [sha256, sha512], [sha256 + ", " + sha512], ["md5=:AAAA:"], ["md5=:AAAA:, " + sha256], [],
  ])
  func `a response with the right digests, or with none that is known, is delivered`(_ digests: [String]) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", digests.reduce(MockReply.text(Self.content)) { $0.field("Content-Digest", $1) })
    #expect(try await Self.session(mock).request("/").serializingString().value == Self.content)
  }

  @Test(arguments: [
    wrong, sha256 + ", " + wrong.replacing("sha-256", with: "sha-512"), "sha-256", "sha-256=1", "sha-256=:AAAA:",
    "sha-256=::", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=", ";;;", "sha-256=:!!:",
  ])
  func `another or a malformed digest is an error`(_ digest: String) async throws {
    let response = try await Self.session(Self.answering(digest)).request("/").serializingString().response
    #expect(response.error?.kind == .digestMismatch)
    #expect(response.value == nil)
  }

  @Test(arguments: ["", "md5=:AAAA:"])
  func `a required digest must be there`(_ digest: String) async throws {
    let mock = digest.isEmpty ? Self.answering() : Self.answering(digest)
    let session = try Self.session(mock, ContentDigest(responses: .required))
    #expect(await session.request("/").serializingString().response.error?.kind == .digestMismatch)
    mock.stub(.head, "/", .text(""))
    mock.stub(.delete, "/", .empty)
    #expect(await session.request("/", method: .head).serializingData().response.error == nil)
    #expect(await session.request("/", method: .delete).serializingData().response.error == nil)
  }

  @Test(arguments: [200, 204, 302, 304, 401, 503])
  func `a response without content needs no digest`(_ status: Int) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .status(HTTPResponse.Status(code: status)))
    let response = try await Self.session(mock, ContentDigest(responses: .required)).request("/").serializingData()
      .response
    #expect(response.error?.kind != .digestMismatch)
    #expect(response.response?.status.code == status)
  }

  @Test(arguments: [302, 401, 503])
  func `content without a digest is an error whatever the status of the response`(_ status: Int) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text(Self.content, status: HTTPResponse.Status(code: status)))
    let response = try await Self.session(mock, ContentDigest(responses: .required)).request("/").serializingString()
      .response
    #expect(response.error?.kind == .digestMismatch)
  }

  @Test func `a redirect that is followed and a challenge that is answered need no digest`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("Found", status: .found).field("Location", "/secret"))
    mock.stub(
      .get, "/secret",
      .sequence([
        .text("Unauthorized", status: .unauthorized).field("WWW-Authenticate", "Basic realm=\"a\""),
        .text(Self.content).field("Content-Digest", Self.sha256),
      ]))
    let failures = Failures()
    let session = try Self.session(mock, ContentDigest(responses: .required)) { $0.monitor(failures) }
    let request = session.request("/").authenticate(username: "a", password: "b")
    #expect(try await request.serializingString().value == Self.content)
    #expect(mock.requests.count == 3)
    #expect(failures.count == 0)
  }

  @Test func `a check that is off checks nothing`() async throws {
    let session = try Self.session(Self.answering(Self.wrong), ContentDigest(responses: .off))
    #expect(try await session.request("/").serializingString().value == Self.content)
  }

  @Test func `the digest is that of the coded content`() async throws {
    let mock = MockTransport()
    var coded = Data()
    let encoder = try GzipCoding().makeEncoder()
    let content = Array(Self.content.utf8)
    try content.withUnsafeBytes { try encoder.transform($0) { coded += Data($0) } }
    try encoder.finish { coded += Data($0) }
    let hash = try #require(await BodyHash.bytes(.bytes(coded), .sha256))
    mock.stub(
      .get, "/",
      .data(coded).field("Content-Encoding", "gzip")
        .field("Content-Digest", "sha-256=:\(Data(hash).base64EncodedString()):"))
    let session = try Self.session(mock) { $0.install(.compression) }
    #expect(try await session.request("/").serializingString().value == Self.content)
  }

  @Test func `a download and a stream are checked at their ends`() async throws {
    let session = try Self.session(Self.answering(Self.wrong))
    let path = FileManager.default.temporaryDirectory.appending(path: "lupine-digest-\(UUID())").path
    let download = await session.download("/", to: .file(path)).serializingFile().response
    #expect(download.error?.kind == .digestMismatch)
    #expect(!FileManager.default.fileExists(atPath: path))
    let error = await #expect(throws: LupineError.self) {
      for try await line in session.streamRequest("/").serializingLines() { _ = line }
    }
    #expect(error?.kind == .digestMismatch)
  }

  /// A file with a strong validator.
  private static func file(_ content: String = content, digest: String? = sha256) -> MockReply {
    let file = MockReply.text(content).field("ETag", "\"a\"")
    return digest.map { file.field("Content-Digest", $0) } ?? file
  }

  /// The rest of the file from byte 3 on.
  private static func rest(_ content: String, digestOf right: String? = nil) async throws -> MockReply {
    let hash = try #require(await BodyHash.bytes(.text(right ?? content), .sha256))
    return MockReply.text(content, status: .partialContent).field("ETag", "\"a\"")
      .field("Content-Range", "bytes 3-17/18")
      .field("Content-Digest", "sha-256=:\(Data(hash).base64EncodedString()):")
  }

  /// Downloads with a checkpoint until the file has arrived; returns the errors before it and the requested ranges.
  private static func download(_ replies: [MockReply]) async throws -> (errors: [LupineError.Kind], ranges: [String?]) {
    let mock = MockTransport()
    mock.stub(.get, "/", .sequence(replies))
    let session = try session(mock)
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-digest-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    var errors: [LupineError.Kind] = []
    for _ in replies {
      let download = session.download("/", to: .file(folder.appending(path: "file").path))
        .checkpoint(folder.appending(path: "checkpoint").path)
      let response = await download.serializingFile().response
      guard let error = response.error else {
        #expect(try String(contentsOf: folder.appending(path: "file"), encoding: .utf8) == content)
        break
      }
      errors.append(error.kind)
    }
    return (errors, mock.requests.map { $0.headers[.range] })
  }

  @Test func `a damaged file is not continued`() async throws {
    let damaged = Self.file("{\"hello\": \"worle\"}")
    let (errors, ranges) = try await Self.download([damaged, Self.file()])
    #expect(errors == [.digestMismatch])
    #expect(ranges == [nil, nil])
  }

  @Test func `the first part of a file that was interrupted before its check is not continued`() async throws {
    let (errors, ranges) = try await Self.download([Self.file().reset(afterBytes: 3), Self.file()])
    #expect(errors == [.connectionLost])
    #expect(ranges == [nil, nil])
  }

  @Test func `a damaged or interrupted rest is requested again`() async throws {
    let right = String(Self.content.dropFirst(3))
    let (errors, ranges) = try await Self.download([
      Self.file(digest: nil).reset(afterBytes: 3), Self.rest("ello\": \"worle\"}", digestOf: right),
      Self.rest(right).reset(afterBytes: 5), Self.rest(right),
    ])
    #expect(errors == [.connectionLost, .digestMismatch, .connectionLost])
    #expect(ranges == [nil, "bytes=3-", "bytes=3-", "bytes=3-"])
  }

  @Test func `a damaged response is not stored`() async throws {
    let mock = MockTransport()
    mock.stub(
      .get, "/",
      .sequence([
        .text(Self.content).field("Cache-Control", "max-age=60").field("Content-Digest", Self.wrong),
        .text(Self.content).field("Cache-Control", "max-age=60").field("Content-Digest", Self.sha256),
      ]))
    let session = try Self.session(mock) { $0.install(.cache(HTTPCache(memory: .megabytes(1)))) }
    #expect(await session.request("/").serializingString().response.error?.kind == .digestMismatch)
    for _ in 0..<2 { #expect(try await session.request("/").serializingString().value == Self.content) }
    #expect(mock.requests.count == 2)
  }
}
