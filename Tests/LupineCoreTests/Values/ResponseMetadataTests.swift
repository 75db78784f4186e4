import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import LupineTransfers
import Testing

@Suite struct ResponseMetadataTests {
  private static let url = "https://example.com/x"

  private func session(_ reply: MockReply) throws -> Session {
    let mock = MockTransport()
    mock.stub([.get], "/{any...}", reply)
    return try Session.Builder().transport(mock).build()
  }

  private func check(_ response: some ResponseMetadata) {
    #expect(response.statusCode == 202)
    #expect(response.headers[.eTag] == "\"1\"")
    #expect(response.value(of: .eTag) == "\"1\"")
    #expect(response.value(of: "etag") == "\"1\"")
    #expect(response.value(of: "X-None") == nil)
    #expect(response.value(of: "no name") == nil)
    #expect(response.links.map { $0.url?.string } == ["https://example.com/y"])
  }

  @Test func `responses of each kind have a status, fields and links`() async throws {
    let link = try #require(HTTPField.Name("Link"))
    let session = try session(
      .text("hello", status: .accepted).field(.eTag, "\"1\"").field(link, "<y>; rel=next"))
    check(await session.request(Self.url).serializingString().response)
    let download = await session.download(Self.url).serializingFile().response
    check(download)
    if let file = download.fileURL { try FileManager.default.removeItem(at: file) }
    let completion = await withCheckedContinuation { continuation in
      session.streamRequest(Self.url).responseStream { stream in
        if let completion = stream.completion { continuation.resume(returning: completion) }
      }
    }
    check(completion)
  }

  @Test func `a request without a response has neither`() async throws {
    let session = try session(.text("hello"))
    let response = await session.request("ftp://example.com").serializingString().response
    #expect(response.statusCode == nil)
    #expect(response.headers.isEmpty)
    #expect(response.value(of: .eTag) == nil)
    #expect(response.links.isEmpty)
  }

  @Test func `links are resolved against the URL after a redirect`() async throws {
    let link = try #require(HTTPField.Name("Link"))
    let mock = MockTransport()
    mock.stub(.get, "https://a.example.com/x", .redirect(to: "https://b.example.com/dir/y"))
    mock.stub(.get, "https://b.example.com/dir/y", .text("hello").field(link, "<z>; rel=next"))
    let session = try Session.Builder().transport(mock).build()
    let response = await session.request("https://a.example.com/x").serializingString().response
    #expect(response.links.first?.url?.string == "https://b.example.com/dir/z")
  }
}
