import Foundation
import Glibc
import LupineFixtures
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore
@testable import LupineTransfers

@Suite struct FileFailureTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  private func download(to place: DownloadDestination) async -> LupineError? {
    mock.stub(.get, "/a", .text("content"))
    return await session.download("a", to: place).serializingFile().response.error
  }

  @Test(arguments: [
    (ENOSPC, FileFailure.Kind.noSpace), (EDQUOT, .noSpace), (EACCES, .permissionDenied), (EPERM, .permissionDenied),
    (EROFS, .readOnly), (EEXIST, .exists), (ENOENT, .notFound), (EISDIR, .isFolder), (EMFILE, .tooManyOpenFiles),
    (EFBIG, .tooLarge), (ENAMETOOLONG, .badPath), (EIO, .other), (EINVAL, .other),
  ])
  func `each number of the system has a kind that a program can act on`(code: Int32, kind: FileFailure.Kind) {
    #expect(FileFailure(path: "/a", code: code).kind == kind)
  }

  @Test func `a full disk has a kind of its own, with the path of the file`() async throws {
    let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let exchange = ExchangeControl().beginBody(.file(descriptor: descriptor)) {}
    let writer = ResponseBodyWriter(exchange: exchange)
    var bytes = Array("content".utf8)
    _ = try writer.write(&bytes)
    writer.finish(metrics: TransferMetrics())
    let error = await #expect(throws: LupineError.self) { try await ResponseBody(exchange: exchange).end() }
    #expect(error?.kind == .fileFailed)
    #expect(error?.file == FileFailure(path: "/dev/full", code: ENOSPC))
    #expect(error?.file?.kind == .noSpace)
  }

  @Test func `a download without permission to write its file fails with that kind`() async throws {
    let error = await download(to: .file("/sys/lupine"))
    #expect(error?.kind == .fileFailed)
    #expect(error?.file?.kind == .permissionDenied)
    #expect(error?.file?.path.hasPrefix("/sys/.lupine") == true)
    #expect(error?.message.contains("Permission denied") == true)
  }

  @Test func `an existing file, a folder in its place and a missing folder have different kinds`() async throws {
    _ = try folder.write("old", to: "there")
    let exists = await download(to: .file(folder.file("there")))
    #expect(exists?.file == FileFailure(path: folder.file("there"), code: EEXIST))
    let isFolder = await download(to: .file(folder.path))
    #expect(isFolder?.file?.kind == .isFolder)
    let missing = await download(to: .file(folder.file("no/such/folder")))
    #expect(missing?.file == FileFailure(path: folder.file("no/such"), code: ENOENT))
    #expect(await download(to: .file("a\0b"))?.file?.kind == .badPath)
  }

  @Test func `a body whose file is missing has the failure as well`() async throws {
    mock.stub(.post, "/a", .text("ok"))
    let path = folder.file("missing")
    let error = await session.upload(.file(path), to: "a").serializingData().response.error
    #expect(error?.kind == .bodyFailed)
    #expect(error?.file == FileFailure(path: path, code: ENOENT))
  }

  @Test func `a downloaded file that is gone when it is read has it, too`() async throws {
    mock.stub(.get, "/a", .text("content"))
    let request = session.download("a", to: .file(folder.file("a")))
    _ = try await request.serializingFile().value
    try FileManager.default.removeItem(atPath: folder.file("a"))
    let error = await request.serializingString().response.error
    #expect(error?.kind == .fileFailed)
    #expect(error?.file == FileFailure(path: folder.file("a"), code: ENOENT))
  }

  @Test func `an error of no file has none`() {
    #expect(LupineError(.connectionLost, "Lost.").file == nil)
    let wrapped = LupineError(.bodyFailed, "Part 1.", underlying: LupineError.file("cannot be read", "/a", code: EIO))
    #expect(wrapped.file == FileFailure(path: "/a", code: EIO))
  }
}
