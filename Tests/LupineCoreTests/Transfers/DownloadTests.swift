import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Synchronization
import Testing

@Suite struct DownloadTests: TransferSuite {
  let bench: TransferBench

  init() throws {
    bench = try TransferBench()
  }

  @Test func `a file arrives at its destination, and nothing else is left`() async throws {
    mock.stub(.get, "https://example.com/a", .text("content"))
    let url = try await session.download("a", to: .file(folder.file("a.txt"))).serializingFile().value
    #expect(url.path == folder.file("a.txt"))
    #expect(try folder.text("a.txt") == "content")
    #expect(folder.names == ["a.txt"])
  }

  @Test func `an existing file is not replaced by default`() async throws {
    try folder.write("old", to: "a.txt")
    mock.stub(.get, "https://example.com/a", .text("new"))
    let error = await session.download("a", to: .file(folder.file("a.txt"))).serializingFile().response.error
    #expect(error?.kind == .fileFailed)
    #expect(try folder.text("a.txt") == "old")
    #expect(folder.names == ["a.txt"])
  }

  @Test func `a file that is there is replaced when asked`() async throws {
    try folder.write("old", to: "a.txt")
    mock.stub(.get, "https://example.com/a", .text("new"))
    _ = try await session.download("a", to: .file(folder.file("a.txt"), .removePreviousFile)).serializingFile().value
    #expect(try folder.text("a.txt") == "new")
  }

  @Test func `a folder that is missing is an error, and made when asked`() async throws {
    mock.stub(.get, "https://example.com/a", .text("content"))
    let path = folder.file("x/y/a.txt")
    let error = await session.download("a", to: .file(path)).serializingFile().response.error
    #expect(error?.kind == .fileFailed)
    _ = try await session.download("a", to: .file(path, .createIntermediateDirectories)).serializingFile().value
    #expect(try folder.text("x/y/a.txt") == "content")
  }

  @Test func `an error status is an error, and its page is no file`() async throws {
    mock.stub(.get, "https://example.com/a", .text("not here", status: .notFound))
    let response = await session.download("a", to: .file(folder.file("a.txt"))).serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(404))
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [204, 205])
  func `a status without content replaces no file`(status: Int) async throws {
    try folder.write("precious", to: "a.txt")
    mock.stub(.get, "https://example.com/a", .status(.init(code: status)))
    let request = session.download("a", to: .file(folder.file("a.txt"), .removePreviousFile))
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.response?.status.code == status)
    #expect(try await request.serializingData().value.isEmpty)
    #expect(try folder.text("a.txt") == "precious")
    #expect(folder.names == ["a.txt"])
  }

  @Test func `a response that a validator refuses leaves the existing file`() async throws {
    try folder.write("old", to: "a.txt")
    mock.stub(.get, "https://example.com/a", .text("new"))
    let request = session.download("a", to: .file(folder.file("a.txt"), .removePreviousFile))
      .validate(contentType: ["image/png"])
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .unacceptableContentType("text/plain"))
    #expect(try folder.text("a.txt") == "old")
    #expect(folder.names == ["a.txt"])
  }

  @Test func `the server's name is made safe`() async throws {
    mock.stub(
      .get, "https://example.com/a",
      .text("content").field(.contentDisposition, "attachment; filename=\"../../.bashrc\""))
    let url = try await session.download("a", to: .folder(folder.path)).serializingFile().value
    #expect(url.path == folder.file("bashrc"))
  }

  @Test func `progress ends at the whole`() async throws {
    mock.stub(.get, "https://example.com/a", .text("content"))
    let seen = Mutex<[TransferProgress]>([])
    _ = try await session.download("a", to: .file(folder.file("a.txt")))
      .downloadProgress { progress in seen.withLock { $0.append(progress) } }
      .serializingFile().value
    #expect(seen.withLock { $0.last?.fractionCompleted } == 1)
    #expect(seen.withLock { $0.last?.completed } == 7)
  }
}
