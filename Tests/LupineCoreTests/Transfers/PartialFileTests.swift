import Foundation
import Glibc
import HTTPTypes
import LupineCore
import LupineSession
import LupineTransfers
import LupineFixtures
import LupineMock
import Testing

@Suite struct PartialFileTests: TransferSuite {
  let bench: TransferBench
  let events = EventLog()

  init() throws {
    bench = try TransferBench { [events] in $0.monitor(events) }
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
  }

  private func interrupted() async throws -> (data: Data, partial: String) {
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    return (try #require(data), try #require(folder.names.first { $0.hasPrefix(".a.") }))
  }

  @Test func `a download whose partial file is missing or shorter restarts`() async throws {
    let (data, partial) = try await interrupted()
    truncate(folder.file(partial), 2)
    _ = try await session.download(resumingWith: data).serializingFile().value
    #expect(try folder.text("a") == "0123456789")
    #expect(mock.requests.last?.headers[.range] != "bytes=4-")
  }

  @Test(arguments: [false, true])
  func `with the policy fail, a missing or shorter partial file is an error`(isGone: Bool)
    async throws
  {
    let (data, partial) = try await interrupted()
    if isGone { unlink(folder.file(partial)) } else { truncate(folder.file(partial), 2) }
    let asked = mock.requests.count
    let response = await session.download(resumingWith: data, otherwise: .fail).serializingFile().response
    #expect(response.error?.kind == .resumeFailed)
    #expect(response.error?.message.contains("partial file") == true)
    #expect(mock.requests.count == asked)
    #expect(!folder.names.contains("a"))
  }

  @Test func `a restart without the partial file is reported once, with the reason`() async throws {
    let (data, partial) = try await interrupted()
    unlink(folder.file(partial))
    _ = try await session.download(resumingWith: data).serializingFile().value
    let told = events.all.compactMap {
      if case .continued(let offset, let reason) = $0.kind { "\(offset == nil) \(reason)" } else { nil }
    }
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("true its partial file is missing") == true)
  }

  @Test func `a partial file that grew is cut to its recorded length`() async throws {
    let (data, partial) = try await interrupted()
    let file = try #require(FileHandle(forUpdatingAtPath: folder.file(partial)))
    try file.seekToEnd()
    try file.write(contentsOf: Data("abc".utf8))
    try file.close()
    _ = try await session.download(resumingWith: data).serializingFile().value
    #expect(try folder.text("a") == "0123456789")
    #expect(mock.requests.last?.headers[.range] == "bytes=4-")
  }

  @Test func `a file that appeared at the destination meanwhile is not overwritten, and the download can be resumed`()
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

  @Test(arguments: [#"{"version":2,"files":[{"path":"a"}]}"#, #"{"version":0}"#])
  func `resume data of another version say so, whatever else they hold`(data: String) async throws {
    let error = await session.download(resumingWith: Data(data.utf8)).serializingFile().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(error?.message.contains("version \(data.contains("2") ? 2 : 0)") == true)
    #expect(error?.underlying == nil)
  }

  @Test(arguments: ["v1", nil])
  func `a whole file that cannot be moved is kept and named, and moved later`(tag: String?) async throws {
    mock.stub(.get, "/b", MockReply.resource(Data("0123456789".utf8), etag: tag))
    let folder = folder
    let request = session.download("b", to: .file(folder.file("b"))).onHTTPResponse { _ in
      _ = try? folder.write("other", to: "b")
      return .allow
    }
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    let partial = try #require(folder.names.first { $0.hasPrefix(".b.") })
    #expect(response.error?.message.contains(partial) == true)
    #expect(try folder.text(partial) == "0123456789")
    #expect(try folder.text("b") == "other")
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file(partial))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect((response.resumeData != nil) == (tag != nil))
    guard let data = response.resumeData else { return }
    _ = try await session.download(resumingWith: data, to: .file(folder.file("c")), otherwise: .fail)
      .serializingFile().value
    #expect(mock.requests.last?.headers[.range] == "bytes=9-")
    #expect(try folder.text("c") == "0123456789")
    #expect(folder.names == ["b", "c"])
  }

  @Test(arguments: [
    String(repeating: "n", count: 255), String(repeating: "ü", count: 127), "\u{1F468}\u{200D}\u{1F469}",
  ])
  func `a name of the maximum length works, and its download can be resumed`(name: String) async throws {
    let request = session.download("a", to: .file(folder.file(name))).checkpoint(folder.file("a.resume"))
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .connectionLost)
    #expect(folder.names.count == 2)
    #expect(folder.names.allSatisfy { !$0.contains("\u{FFFD}") })
    _ = try await session.download(resumingWith: try #require(response.resumeData)).serializingFile().value
    #expect(try folder.text(name) == "0123456789")
  }

  @Test func `a checkpoint's name may be as long as the file system bears`() async throws {
    let name = String(repeating: "c", count: 255)
    let request = session.download("a", to: .file(folder.file("a"))).checkpoint(folder.file(name))
    #expect(await request.serializingFile().response.error?.kind == .connectionLost)
    #expect(folder.names.contains(name))
  }

  @Test func `a discarded download leaves nothing, and restarts`() async throws {
    let (data, _) = try await interrupted()
    try folder.write("other", to: "b")
    for _ in 0..<2 { try DownloadRequest.discard(data) }
    #expect(folder.names == ["b"])
    _ = try await session.download(resumingWith: data).serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, nil])
  }

  @Test func `discarding what is no resume data is an error`() {
    #expect { try DownloadRequest.discard(Data("{}".utf8)) } throws: { error in
      (error as? LupineError)?.kind == .resumeFailed
    }
  }
}
