import Foundation
import Glibc
import HTTPTypes
import LupineFixtures
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore
@testable import LupineTransfers

/// Interrupted downloads that receive another response than the rest of their file.
@Suite struct SupersededDownloadTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  private var whole: MockReply { .resource(Data("0123456789".utf8), etag: "v1") }
  private var other: MockReply { .resource(Data("abcdefghij".utf8), etag: "v2") }
  private let page = MockReply.text("<p>Who are you?").field(.contentType, "text/html")
  private func page(tag: String?) -> MockReply { tag.map { page.field(.eTag, $0) } ?? page }
  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  private func interrupted(_ rest: MockReply...) async throws -> DownloadRequest {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4)] + rest))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    return session.download(resumingWith: try #require(data))
  }

  /// Options of a download that refuse an HTML page.
  private static let refusals: [@Sendable (DownloadRequest) -> DownloadRequest] = [
    { $0.validate(contentType: ["application/octet-stream"]) },
    { $0.expecting(.sha256(DownloadOptionsTests.abc)) },
    { $0.sizeLimit(10) },
    { $0.onHTTPResponse { $0.headerFields[.contentType] == "text/html" ? .cancel : .allow } },
  ]

  @Test(arguments: refusals.indices, ["\"v2\"", nil])
  func `a refused response removes nothing that had arrived`(refusal: Int, tag: String?) async throws {
    let page = self.page(tag: tag)
    let request = Self.refusals[refusal](try await interrupted(page, whole))
    let response = await request.serializingFile().response
    #expect(response.error != nil)
    #expect(try folder.names.map { try folder.text($0) } == ["0123"])
    _ = try await session.download(resumingWith: try #require(response.resumeData), otherwise: .fail)
      .serializingFile().value
    #expect(ranges == [nil, "bytes=4-", "bytes=4-"])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: ["\"v2\"", nil])
  func `a retry after a refused response requests the rest again`(tag: String?) async throws {
    let page = self.page(tag: tag)
    let request = try await interrupted(page, whole).validate(contentType: ["application/octet-stream"])
    _ = try await request.retrier(OnceMore()).serializingFile().value
    #expect(ranges == [nil, "bytes=4-", "bytes=4-"])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [200, 416])
  func `if the restart fails, the earlier part is still there`(status: Int) async throws {
    let gone = MockReply.status(.init(code: 416)).field(.contentRange, "bytes */4")
    let end = MockReply.status(.internalServerError)
    let first = status == 200 ? page.reset(afterBytes: 3) : gone
    let request = try await interrupted(first, end, whole).resumesAutomatically(limit: 1)
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(500))
    _ = try await session.download(resumingWith: try #require(response.resumeData)).serializingFile().value
    #expect(ranges.last == "bytes=4-")
    #expect(folder.names == ["a"])
  }

  @Test func `the partial file of a restart can be resumed`() async throws {
    let response = await (try await interrupted(other.reset(afterBytes: 6), other)).serializingFile().response
    #expect(try folder.names.map { try folder.text($0) } == ["abcdef"])
    _ = try await session.download(resumingWith: try #require(response.resumeData), otherwise: .fail)
      .serializingFile().value
    #expect(ranges == [nil, "bytes=4-", "bytes=6-"])
    #expect(try folder.text("a") == "abcdefghij")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: ["\"v2\"", nil])
  func `the checkpoint describes the kept part after a response was refused`(tag: String?) async throws {
    let page = self.page(tag: tag)
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), page, whole]))
    for _ in 0..<3 {
      _ = await session.download("a", to: .file(folder.file("a"))).checkpoint(folder.file("a.resume"))
        .validate(contentType: ["application/octet-stream"]).serializingFile().response
    }
    #expect(ranges == [nil, "bytes=4-", "bytes=4-"])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  /// Writes the files that remain when a program is killed while it receives another version of the file.
  private func leave(_ new: String?, path: String = "a") throws -> Checkpoint {
    for (name, text) in [(".a.old", "0123"), (".a.new", new)] {
      if let text { chmod(try folder.write(text, to: name), 0o600) }
    }
    let validators = try ["\"v1\"", "\"v2\""].map { tag in
      try #require(EntityValidator(HTTPResponse(status: .ok, headerFields: [.eTag: tag])))
    }
    let checkpoint = Checkpoint(path: folder.file("a.resume"))
    try checkpoint.write(
      ResumeState(
        url: "https://example.com/\(path)", partialPath: folder.file(".a.new"), offset: nil, total: 10,
        validator: validators[1], identity: nil, path: folder.file(path), options: [],
        superseded: .init(path: folder.file(".a.old"), validator: validators[0], total: 10)))
    return checkpoint
  }

  @Test(arguments: ["", nil])
  func `the part that a killed program had put aside is resumed if nothing has replaced it`(new: String?) async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 2), whole]))
    let path = try leave(new).path
    for _ in 0..<2 {
      _ = await session.download("a", to: .file(folder.file("a"))).checkpoint(path, otherwise: .fail)
        .serializingFile().response
    }
    #expect(ranges == ["bytes=4-", "bytes=6-"])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test func `the part that a killed program had put aside is not overwritten for another URL`() async throws {
    mock.stub(.get, "/a", whole)
    _ = try leave(nil, path: "b")
    _ = try await session.download("a", to: .file(folder.file("a"))).checkpoint(folder.file("a.resume"))
      .serializingFile().value
    #expect(folder.names == [".a.old", "a", "a.resume"])
  }

  @Test(arguments: [false, true])
  func `the part that a killed program had put aside is removed once its checkpoint is used`(isGivenUp: Bool)
    async throws
  {
    mock.stub(.get, "/a", other)
    let checkpoint = try leave("abcdef")
    if isGivenUp {
      DownloadRequest.discard(checkpoint: checkpoint.path)
      #expect(folder.names.isEmpty)
    } else {
      _ = try await session.download("a", to: .file(folder.file("a"))).checkpoint(checkpoint.path).serializingFile()
        .value
      #expect(ranges == ["bytes=6-"])
      #expect(folder.names == ["a"])
    }
  }
}
