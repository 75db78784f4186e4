import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

@Suite struct FileURLTests: TransferSuite {
  let bench: TransferBench

  init() throws {
    bench = try TransferBench()
    mock.stub(.get, "/a", count: .optional, .text("content"))
    mock.stub(.post, "/b", count: .optional) { request in .text(request.text) }
  }

  @Test func `a body is the file that a URL names`() async throws {
    let path = try folder.write("0123456789", to: "a file.txt")
    let url = URL(fileURLWithPath: path)
    #expect(url.absoluteString.contains("%20"))
    #expect(try await session.upload(.file(url), to: "b").serializingString().value == "0123456789")
    #expect(try await session.upload(.file(url, offset: 4, length: 3), to: "b").serializingString().value == "456")
    let local = try #require(URL(string: "file://localhost" + url.path(percentEncoded: true)))
    #expect(try await session.upload(.file(local), to: "b").serializingString().value == "0123456789")
  }

  @Test func `bytes go up without being made a body first`() async throws {
    let data = Data("bytes".utf8)
    #expect(try await session.upload(data, to: "b").serializingString().value == "bytes")
    let request = session.upload(data, to: "b", method: .put, headers: [.accept: "text/plain"], expectsContinue: true)
    #expect(request.request?.method == .put)
    #expect(request.request?.headers[.accept] == "text/plain")
    #expect(request.request?.options.expectsContinue == true)
  }

  @Test func `a download goes to the file that a URL names`() async throws {
    let url = URL(fileURLWithPath: folder.file("made/a file.txt"))
    let destination = DownloadDestination.file(url, .createIntermediateDirectories)
    #expect(try await session.download("a", to: destination).serializingFile().value.path == url.path)
    #expect(try folder.text("made/a file.txt") == "content")
  }

  private struct Page: Encodable {
    let number: Int
  }

  @Test func `a path, a file URL and a literal are the destination of a download`() async throws {
    let route = try OutgoingRequest("https://example.com/a")
    let (path, url) = (folder.file("path"), URL(fileURLWithPath: folder.file("url")))
    #expect(try await session.download("a", to: path).serializingFile().value.path == path)
    #expect(try await session.download("a", to: url).serializingFile().value.path == url.path)
    #expect(
      try await session.download("a", to: "\(folder.file("literal"))").serializingFile().value.path
        == folder.file("literal"))
    let (encodable, values) = (folder.file("encodable"), folder.file("values"))
    _ = try await session.download("a", parameters: Page(number: 1), to: encodable).serializingFile().value
    _ = try await session.download("a", parameters: ["a": 1, "b": "c"], to: values).serializingFile().value
    for name in ["encodable", "values"] { #expect(try folder.text(name) == "content") }
    // One that exists is not replaced without its option.
    mock.stub(.get, "https://example.com/a", .text("other"))
    #expect(await session.download(route, to: path).serializingFile().response.error?.kind == .fileFailed)
    #expect(try folder.text("path") == "content")
    let remote = try #require(URL(string: "https://example.com/a"))
    #expect(await session.download("a", to: remote).serializingFile().response.error?.kind == .fileFailed)
  }

  @Test(arguments: [true, false])
  func `a download goes to the folder that a URL names`(isDirectory: Bool) async throws {
    let url = URL(fileURLWithPath: folder.file("made"), isDirectory: isDirectory)
    let destination = DownloadDestination.folder(url, .createIntermediateDirectories)
    #expect(try await session.download("a", to: destination).serializingFile().value.path == folder.file("made/a"))
  }

  @Test(arguments: [
    ("https://example.com/file.txt", "has the scheme \"https\""), ("file.txt", "has no scheme"),
    ("file://server/share/file.txt", "names a file on the machine \"server\""),
  ])
  func `a URL that names no file of this machine is an error`(text: String, reason: String) async throws {
    let url = try #require(URL(string: text))
    let upload = await session.upload(.file(url), to: "b").serializingString().response
    #expect(upload.error?.kind == .bodyFailed)
    #expect(upload.error?.message.contains(reason) == true)
    for destination in [DownloadDestination.file(url), .folder(url)] {
      let download = await session.download("a", to: destination).serializingFile().response
      #expect(download.error?.kind == .fileFailed)
      #expect(download.error?.message.contains(reason) == true)
    }
    #expect(!mock.requests.contains { $0.method == .get })
  }
}
