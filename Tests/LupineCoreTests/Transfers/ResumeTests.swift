import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineTransfers
import LupineFixtures
import LupineMock
import Testing

@Suite struct ResumeTests: TransferSuite {
  let bench: TransferBench

  init() throws {
    bench = try TransferBench()
  }

  private var whole: MockReply { .text("0123456789").field(.eTag, "\"v1\"") }

  private func interrupt() async throws -> Data {
    mock.stub(.get, "https://example.com/a", .sequence([whole.reset(afterBytes: 4)]))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    return try #require(response.resumeData)
  }

  private func rest(
    _ range: String, _ text: String, tag: String = "\"v1\"", status: HTTPResponse.Status = .partialContent
  ) -> MockReply {
    .text(text, status: status).field(.contentRange, range).field(.eTag, tag)
  }

  private func resume(_ reply: MockReply, policy: ResumePolicy = .restart) async throws -> (String?, LupineError?) {
    let data = try await interrupt()
    let other = MockTransport()
    let page = whole
    other.stub(.get, "https://example.com/a") { request in
      request.headers[.range] == nil ? page : reply
    }
    let session = try Session.Builder().transport(other).build()
    let response = await session.download(resumingWith: data, otherwise: policy).serializingFile().response
    if let asked = other.requests.first { #expect(asked.headers[.ifRange] == "\"v1\"") }
    return (try? folder.text("a"), response.error)
  }

  @Test func `an interrupted download continues at its offset`() async throws {
    let (text, error) = try await resume(rest("bytes 4-9/10", "456789"))
    #expect(error == nil)
    #expect(text == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [
    ("bytes 3-9/10", "\"v1\"", 206), ("bytes 4-9/11", "\"v1\"", 206), ("bytes 4-9/10", "\"v2\"", 206),
    ("bytes */10", "\"v1\"", 416), ("nonsense", "\"v1\"", 206),
  ])
  func `another part, or another file, leads to a new beginning`(range: String, tag: String, status: Int) async throws {
    let reply = rest(range, "XXXXXX", tag: tag, status: .init(code: status))
    let (text, error) = try await resume(reply)
    #expect(error == nil)
    #expect(text == "0123456789")
  }

  @Test func `with the policy fail, another part is an error`() async throws {
    let (text, error) = try await resume(rest("bytes 3-9/10", "XXXXXXX"), policy: .fail)
    #expect(error?.kind == .resumeFailed)
    #expect(text == nil)
  }

  @Test func `a whole file in answer to a range restarts the download`() async throws {
    let (text, error) = try await resume(.text("abcdefghijk").field(.eTag, "\"v2\""))
    #expect(error == nil)
    #expect(text == "abcdefghijk")
  }

  @Test func `a status without content leaves the partial file, which can be resumed`() async throws {
    let (text, error) = try await resume(.status(.noContent))
    #expect(error?.kind == .fileFailed)
    #expect(error?.resumeData != nil)
    #expect(text == nil)
    #expect(folder.names.count == 1)
  }

  @Test func `a retry continues at the offset of the attempt`() async throws {
    mock.stub(.get, "https://example.com/b", .sequence([whole.reset(afterBytes: 4), rest("bytes 4-9/10", "456789")]))
    let request = session.download("b", to: .file(folder.file("b"))).retrier(.backoff(limit: 1))
    _ = try await request.serializingFile().value
    #expect(try folder.text("b") == "0123456789")
    #expect(mock.requests.last?.headers[.range] == "bytes=4-")
  }

  @Test func `without a validator nothing is kept`() async throws {
    mock.stub(.get, "https://example.com/a", MockReply.text("0123456789").reset(afterBytes: 4))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    #expect(response.error?.kind == .connectionLost)
    #expect(response.resumeData == nil)
    #expect(folder.names.isEmpty)
  }

  @Test func `a resumed download that has not begun leaves the partial file to another`() async throws {
    let data = try await interrupt()
    let other = MockTransport()
    other.stub(.get, "https://example.com/a", rest("bytes 4-9/10", "456789"))
    let session = try Session.Builder().transport(other).build()
    let waiting = session.download(resumingWith: data)
    let response = await session.download(resumingWith: data, otherwise: .fail).serializingFile().response
    #expect(response.error == nil)
    #expect(try folder.text("a") == "0123456789")
    #expect(waiting.cancel().allMetrics.isEmpty)
    await session.finishRequests()
  }

  @Test func `a resumed download that is cancelled before it begins can still be resumed`() async throws {
    let data = try await interrupt()
    let request = session.download(resumingWith: data).cancel()
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .cancelled)
    #expect(folder.names.count == 1)
    mock.stub(.get, "https://example.com/a", priority: 1, rest("bytes 4-9/10", "456789"))
    let again = try #require(response.resumeData)
    #expect(await session.download(resumingWith: again, otherwise: .fail).serializingFile().response.error == nil)
    #expect(try folder.text("a") == "0123456789")
  }

  @Test func `invalid resume data are an error`() async throws {
    let response = await session.download(resumingWith: Data("{}".utf8)).serializingFile().response
    #expect(response.error?.kind == .resumeFailed)
  }

  // Dates

  private static let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:38 GMT", true), ("Sunday, 06-Nov-94 08:49:38 GMT", true),
      ("Sun, 06 Nov 1994 08:49:37 GMT", false), ("Sun, 06 Nov 1994 08:49:36 GMT", false), ("tomorrow", false),
      (nil, false),
    ] as [(String?, Bool)])
  func `a date continues a file that had not changed for a second when it was sent`(
    date: String?, continues: Bool
  ) async throws {
    let whole = MockReply.resource(Data("0123456789".utf8), lastModified: Self.changed)
    let undated = MockReply.text("0123456789").field(.lastModified, Self.changed)
    let dated = date.map { whole.field(.date, $0) } ?? undated
    mock.stub(.get, "https://example.com/a", .sequence([dated.reset(afterBytes: 4), dated]))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    #expect(response.error?.kind == .connectionLost)
    #expect((response.resumeData != nil) == continues)
    guard let data = response.resumeData else { return }
    _ = try await session.download(resumingWith: data, otherwise: .fail).serializingFile().value
    #expect(mock.requests.last?.headers[.ifRange] == Self.changed)
    #expect(try folder.text("a") == "0123456789")
  }

  @Test(arguments: [nil, changed, later])
  func `a part need not repeat the date, and may not name another`(modified: String?) async throws {
    let whole = MockReply.text("0123456789").field(.lastModified, Self.changed).field(.date, Self.later)
    let part = MockReply.text("456789", status: .partialContent).field(.contentRange, "bytes 4-9/10")
    let rest = modified.map { part.field(.lastModified, $0) } ?? part
    mock.stub(.get, "https://example.com/a", .sequence([whole.reset(afterBytes: 4), rest, whole]))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    _ = try await session.download(resumingWith: try #require(response.resumeData)).serializingFile().value
    #expect(mock.requests.count == (modified == Self.later ? 3 : 2))
    #expect(try folder.text("a") == "0123456789")
  }
}
