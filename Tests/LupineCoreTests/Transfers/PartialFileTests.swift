import Foundation
import Glibc
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import Testing

@Suite struct PartialFileTests {
  let folder: TemporaryFolder
  let mock = MockTransport()
  let session: Session

  init() throws {
    folder = try TemporaryFolder()
    session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
  }

  private func interrupted() async throws -> (data: Data, partial: String) {
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    return (try #require(data), try #require(folder.names.first { $0.hasPrefix(".a.") }))
  }

  @Test func `S34 a partial file that is gone, or shorter than it was, begins anew`() async throws {
    let (data, partial) = try await interrupted()
    truncate(folder.file(partial), 2)
    _ = try await session.download(resumingWith: data).serializingFile().value
    #expect(try folder.text("a") == "0123456789")
    #expect(mock.requests.last?.headers[.range] != "bytes=4-")
  }

  @Test func `S34 a partial file that grew is cut to what had arrived`() async throws {
    let (data, partial) = try await interrupted()
    try folder.write("0123abc", to: partial)
    _ = try await session.download(resumingWith: data).serializingFile().value
    #expect(try folder.text("a") == "0123456789")
  }

  @Test func `S33 a file that came to the destination meanwhile is not clobbered, and the rest can be had`()
    async throws
  {
    let (data, _) = try await interrupted()
    try folder.write("other", to: "a")
    let response = await session.download(resumingWith: data).serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(try folder.text("a") == "other")
    let again = try #require(response.resumeData)
    let url = try await session.download(resumingWith: again, to: .file(folder.file("b"))).serializingFile().value
    #expect(url.path == folder.file("b"))
    #expect(try folder.text("b") == "0123456789")
    #expect(mock.requests.last?.headers[.range] == "bytes=4-")
    #expect(folder.names == ["a", "b"])
  }

  @Test func `resume data of another version say so`() async throws {
    let (data, _) = try await interrupted()
    let later = String(decoding: data, as: UTF8.self).replacing("\"version\":1", with: "\"version\":2")
    #expect(later != String(decoding: data, as: UTF8.self))
    let error = await session.download(resumingWith: Data(later.utf8)).serializingFile().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(error?.message.contains("version 2") == true)
  }
}
