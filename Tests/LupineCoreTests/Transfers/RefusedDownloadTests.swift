import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineTransfers
import LupineFixtures
import LupineMock
import Testing

/// Downloads whose response is refused, without an earlier partial file that the response would replace.
@Suite struct RefusedDownloadTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  private var whole: MockReply { .resource(Data("0123456789".utf8), etag: "v1") }
  private let page = MockReply.text("<p>page").field(.contentType, "text/html").field(.eTag, "\"page\"")
  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  private func download(_ replies: MockReply...) -> DownloadRequest {
    mock.stub(.get, "/a", .sequence(replies))
    return session.download("a", to: .file(folder.file("a"))).retrier(OnceMore())
  }

  @Test(arguments: ["\"page\"", nil])
  func `a refused response is no partial file to resume`(tag: String?) async throws {
    let soon = MockReply.text("not yet", status: .accepted)
    _ = try await download(tag.map { soon.field(.eTag, $0) } ?? soon, whole).validate(statusCode: 200..<201)
      .resumesAutomatically(otherwise: .fail).serializingFile().value
    #expect(ranges == [nil, nil])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test func `a retry after a refused response requests the whole file`() async throws {
    _ = try await download(page, whole).validate(contentType: ["application/octet-stream"]).serializingFile().value
    #expect(ranges == [nil, nil])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [
    MockReply.text("0123456789").field(.contentType, "application/octet-stream").reset(afterBytes: 3),
    .failure(.connectionRefused), .status(.internalServerError),
  ])
  func `no response continues a refused one, whatever the retry brings`(end: MockReply) async throws {
    let request = download(page, end).checkpoint(folder.file("a.resume"))
      .validate(contentType: ["application/octet-stream"])
    let response = await request.serializingFile().response
    #expect(response.error != nil)
    #expect(response.resumeData == nil)
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [ResumePolicy.restart, .fail])
  func `a refused response with the rest removes nothing that had arrived`(policy: ResumePolicy) async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let response = await session.download(resumingWith: try #require(data), otherwise: policy)
      .validate(statusCode: 200..<201).serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(206))
    #expect(try folder.names.map { try folder.text($0) } == ["0123"])
    _ = try await session.download(resumingWith: try #require(response.resumeData), otherwise: .fail)
      .serializingFile().value
    #expect(ranges == [nil, "bytes=4-", "bytes=4-"])
    #expect(try folder.text("a") == "0123456789")
  }

  @Test(arguments: [false, true])
  func `a file that is refused at its head is not kept, and one that is cancelled meanwhile is`(isCancelled: Bool)
    async throws
  {
    mock.stub(.get, "/a", whole.stall(afterBytes: 4))
    let (bytes, told) = AsyncStream.makeStream(of: Int64.self)
    let request = session.download("a", to: .file(folder.file("a"))).downloadProgress { told.yield($0.completed) }
      .timeouts { $0.idle = nil }
    let response = await request.onHTTPResponse { _ in
      for await count in bytes where count == 4 { break }
      if isCancelled { request.cancel() }
      return .cancel
    }.serializingFile().response
    #expect(response.error?.kind == .cancelled)
    #expect((response.resumeData != nil) == isCancelled)
    #expect(try folder.names.map { try folder.text($0) } == (isCancelled ? ["0123"] : []))
  }
}
