import Foundation
import HTTPTypes
import LupineCore
import LupineTransfers
import LupineFixtures
import LupineMock
import Testing

@Suite struct DownloadDestinationTests: TransferSuite {
  struct Refusal: Error {}

  let bench: TransferBench

  init() throws {
    bench = try TransferBench()
    mock.stub(.get, "/a", MockReply.text("content").field(.contentType, "text/plain"))
  }

  @Test func `a temporary file is the owner's alone and the caller's to remove`() async throws {
    let response = await session.download("a").serializingFile().response
    let url = try #require(response.value)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(response.fileURL == url)
    #expect(try String(contentsOf: url, encoding: .utf8) == "content")
    let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a closure decides by the head, with its options`() async throws {
    let path = folder.file("made/by.closure")
    let destination = DownloadDestination.custom { head in
      #expect(head.status == .ok)
      return (path, .createIntermediateDirectories)
    }
    let url = try await session.download("a", to: destination).serializingFile().value
    #expect(url.path == path)
    #expect(try folder.text("made/by.closure") == "content")
  }

  @Test func `an error of a closure ends the download, and nothing is left`() async {
    let response = await session.download("a", to: .custom { _ in throw Refusal() }).serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.underlying is Refusal)
    #expect(folder.names.isEmpty)
  }

  @Test func `a folder at the destination is an error, and stays`() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("a"), withIntermediateDirectories: false)
    try folder.write("old", to: "a/inner")
    let response = await session.download("a", to: .file(folder.file("a"), .removePreviousFile)).serializingFile()
      .response
    #expect(response.error?.kind == .fileFailed)
    #expect(try folder.text("a/inner") == "old")
    #expect(folder.names == ["a"])
  }

  @Test func `a folder that may not be written to is an error`() async {
    let response = await session.download("a", to: .file("/proc/lupine/a")).serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains("/proc/lupine") == true)
  }

  @Test func `resuming a download to a missing folder is an error before the rest arrives`() async throws {
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/cut", .sequence([whole.reset(afterBytes: 4), whole.reset(afterBytes: 4), whole]))
    let data = await session.download("cut", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let response = await session.download(resumingWith: try #require(data), to: .file(folder.file("x/a")))
      .serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains(".createIntermediateDirectories") == true)
    _ = try await session.download(resumingWith: try #require(response.resumeData), to: .file(folder.file("a")))
      .serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=4-", "bytes=4-"])
    #expect(folder.names == ["a"])
  }

  @Test func `a path with a zero byte is an error, and no other file is made or removed`() async throws {
    try folder.write("old", to: "a")
    try folder.write("old", to: "b")
    let request = session.download("a", to: .file(folder.file("a\0.txt"), .removePreviousFile))
      .checkpoint(folder.file("b\0.resume"))
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains("zero byte") == true)
    #expect(folder.names == ["a", "b"])
    #expect(try folder.text("a") + folder.text("b") == "oldold")
  }

  @Test(arguments: [0, 1, 2])
  func `an empty path is an error, and nothing is made in the root or in the folder of the process`(kind: Int)
    async throws
  {
    mock.stub(.get, "/lupine-s32", MockReply.text("content").field(.eTag, "\"v1\"").reset(afterBytes: 4))
    let places: [DownloadDestination] = [.folder(""), .file(""), .custom { _ in ("", .removePreviousFile) }]
    let response = await session.download("lupine-s32", to: places[kind]).serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains("empty") == true)
    for place in ["/", "."] {
      let names = try FileManager.default.contentsOfDirectory(atPath: place)
      #expect(!names.contains { $0.contains("lupine-s32") || $0.hasPrefix("..") })
    }
  }

  @Test(arguments: [DownloadDestination.Options.removePreviousFile, []])
  func `a folder at the destination is found at the head`(options: DownloadDestination.Options) async throws {
    try FileManager.default.createDirectory(atPath: folder.file("a"), withIntermediateDirectories: false)
    mock.stub(.get, "/cut", MockReply.text("content").reset(afterBytes: 4))
    let response = await session.download("cut", to: .file(folder.file("a"), options)).serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains("folder") == true)
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [DownloadDestination.Options.removePreviousFile, []])
  func `a link to a folder at the destination is an error, and stays`(options: DownloadDestination.Options) async throws
  {
    try folder.write("old", to: "inner/b")
    try FileManager.default.createSymbolicLink(atPath: folder.file("a"), withDestinationPath: folder.file("inner"))
    let response = await session.download("a", to: .file(folder.file("a"), options)).serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains("link to a folder") == true)
    #expect(try folder.text("a/b") == "old")
    #expect(folder.names == ["a", "inner"])
  }
}
