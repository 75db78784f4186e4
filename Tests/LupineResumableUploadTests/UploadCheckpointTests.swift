import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineResumableUpload
import LupineSession
import LupineTransfers
import Synchronization
import Testing

/// Uploads that another process continues: a new session with the same checkpoint.
@Suite struct UploadCheckpointTests {
  private static let content = Data.pattern(10_000)
  private let folder: TemporaryFolder
  private let server = UploadServer()

  init() throws {
    folder = try TemporaryFolder()
    try Self.content.write(to: URL(filePath: path))
  }

  private var path: String { "\(folder.path)/video.mp4" }
  private var checkpoint: String { "\(folder.path)/video.upload" }
  private var hasCheckpoint: Bool { FileManager.default.fileExists(atPath: checkpoint) }

  /// Uploads in a session of its own, without retries.
  private func upload(
    _ body: RequestBody? = nil, to path: String = "files", otherwise policy: ResumePolicy = .restart
  ) async throws -> LupineError? {
    let session = try Session.Builder().transport(server.mock()).baseURL("https://example.com").clock(ImmediateClock())
      .build()
    return await session.upload(body ?? .file(self.path), to: path, method: .post).validate()
      .resumable(server.dialect).checkpoint(checkpoint, otherwise: policy).serializingString().response.error
  }

  @Test func `another process continues the upload of a file`() async throws {
    server.lose(.after(bytes: 3_000), .after(bytes: 2_000))
    #expect(try await upload()?.kind == .connectionLost)
    #expect(hasCheckpoint)
    let mode = try FileManager.default.attributesOfItem(atPath: checkpoint)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try await upload()?.kind == .connectionLost)
    #expect(try await upload() == nil)
    #expect(server.log == ["POST 10000", "HEAD", "PATCH@3000 7000", "HEAD", "PATCH@5000 5000"])
    #expect(server.complete == [Self.content])
    #expect(!hasCheckpoint)
  }

  @Test func `another process continues the upload of data, but not of other data`() async throws {
    server.lose(.after(bytes: 3_000), .after(bytes: 10))
    #expect(try await upload(.bytes(Self.content)) != nil)
    #expect(try await upload(.bytes(Self.content)) != nil)
    #expect(server.log.last == "PATCH@3000 7000")
    var other = Self.content
    other[0] ^= 1
    #expect(try await upload(.bytes(other)) == nil)
    #expect(server.log.suffix(2) == ["DELETE", "POST 10000"])
    #expect(server.complete == [other])
  }

  @Test func `a changed file is uploaded again, and the former upload is deleted`() async throws {
    server.lose(.after(bytes: 3_000))
    #expect(try await upload() != nil)
    let changed = Data.pattern(9_000)
    try changed.write(to: URL(filePath: path))
    #expect(try await upload(otherwise: .fail)?.kind == .resumeFailed)
    #expect(hasCheckpoint)
    #expect(try await upload() == nil)
    #expect(server.log == ["POST 10000", "DELETE", "POST 9000"])
    #expect(server.complete == [changed])
    #expect(!hasCheckpoint)
  }

  @Test func `a file of the same size with the same time is another file if its number differs`() async throws {
    server.lose(.after(bytes: 3_000))
    #expect(try await upload() != nil)
    let former = try Self.status(of: path)
    let copy = "\(folder.path)/copy"
    try Data.pattern(10_001).dropFirst().write(to: URL(filePath: copy))
    // `Date` would lose the nanoseconds.
    #expect(utimensat(AT_FDCWD, copy, [former.st_atim, former.st_mtim], 0) == 0)
    try FileManager.default.removeItem(atPath: path)
    // A file of another name takes the old number, as some file systems reuse it.
    try Data().write(to: URL(filePath: "\(folder.path)/other"))
    try FileManager.default.moveItem(atPath: copy, toPath: path)
    let new = try Self.status(of: path)
    #expect(new.st_mtim.tv_sec == former.st_mtim.tv_sec && new.st_mtim.tv_nsec == former.st_mtim.tv_nsec)
    #expect(new.st_size == former.st_size && new.st_ino != former.st_ino)
    #expect(try await upload(otherwise: .fail)?.kind == .resumeFailed)
  }

  private static func status(of path: String) throws -> stat {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status
  }

  @Test func `a checkpoint of another request is not used`() async throws {
    server.lose(.after(bytes: 3_000))
    #expect(try await upload() != nil)
    #expect(try await upload(to: "others", otherwise: .fail)?.kind == .resumeFailed)
    #expect(try await upload(to: "others") == nil)
    #expect(server.log == ["POST 10000", "DELETE", "POST 10000"])
  }

  @Test func `a checkpoint of another origin is not used, and nothing is deleted there`() async throws {
    server.lose(.after(bytes: 3_000))
    #expect(try await upload() != nil)
    #expect(try await upload(to: "https://elsewhere.example/files", otherwise: .fail)?.kind == .resumeFailed)
    #expect(server.log == ["POST 10000"])
    #expect(hasCheckpoint)
    #expect(try await upload(to: "https://elsewhere.example/files") == nil)
    #expect(server.log == ["POST 10000", "POST 10000"])
  }

  @Test func `a foreign file is neither used nor overwritten`() async throws {
    try Data("notes".utf8).write(to: URL(filePath: checkpoint))
    #expect(try await upload(otherwise: .fail)?.kind == .resumeFailed)
    #expect(server.log == [])
    server.lose(.after(bytes: 3_000))
    #expect(try await upload()?.kind == .connectionLost)
    #expect(try Data(contentsOf: URL(filePath: checkpoint)) == Data("notes".utf8))
  }

  @Test func `a checkpoint that cannot be written ends the upload`() async throws {
    struct FullStore: CheckpointStore {
      func read(_ name: String) throws(LupineError) -> Data? { nil }
      func write(_ data: Data, to name: String) throws(LupineError) { throw .file(name, code: ENOSPC, message: "full") }
      func remove(_ name: String) throws(LupineError) {}
    }
    server.change { $0.limits = "max-append-size=4000" }
    let session = try Session.Builder().transport(server.mock()).baseURL("https://example.com").build()
    let error = await session.upload(.file(path), to: "files", method: .post).resumable(.draft(8), .careful)
      .checkpoint("name", in: FullStore()).serializingString().response.error
    #expect(error?.kind == .fileFailed)
    #expect(server.complete == [])
  }

  @Test func `a body that another process makes anew has no checkpoint`() async throws {
    let stream = RequestBody.stream(length: 3) { AsyncStream<[UInt8]> { $0.finish() } }
    let error = try await upload(stream)
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("file") == true)
    #expect(server.log == [])
  }

  @Test func `a file that changes during its upload ends it`() async throws {
    server.lose(.after(bytes: 3_000))
    let session = try Session.Builder().transport(server.mock()).baseURL("https://example.com").clock(ImmediateClock())
      .build()
    server.change { [path] state in
      state.override = { request, _ in
        if request.method == .head { try? Data.pattern(10_000).write(to: URL(filePath: path)) }
        return nil
      }
    }
    let error = await session.upload(.file(path), to: "files", method: .post).resumable().resumesAutomatically()
      .serializingString().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(server.log == ["POST 10000", "HEAD", "DELETE"])
  }

  @Test func `an upload is given up with its checkpoint`() async throws {
    server.lose(.after(bytes: 3_000))
    #expect(try await upload() != nil)
    let session = try Session.Builder().transport(server.mock()).build()
    try await session.discardUpload(checkpoint: checkpoint)
    #expect(server.log == ["POST 10000", "DELETE"])
    #expect(server.state.withLock { $0.headers }.last?["Upload-Draft-Interop-Version"] == "8")
    #expect(server.uploads.isEmpty)
    #expect(!hasCheckpoint)
    try await session.discardUpload(checkpoint: checkpoint)
    #expect(server.log.count == 2)
  }

  @Test func `a part of a file is uploaded and continued`() async throws {
    server.lose(.after(bytes: 300))
    let part = RequestBody.file(path, offset: 1_000, length: 2_000)
    #expect(try await upload(part) != nil)
    #expect(try await upload(part) == nil)
    #expect(server.log == ["POST 2000", "HEAD", "PATCH@300 1700"])
    #expect(server.complete == [Self.content[1_000..<3_000]])
    #expect(try await upload(.file(path, offset: 9_000, length: 2_000))?.kind == .bodyFailed)
    #expect(try await upload(.file(path, offset: -1))?.kind == .bodyFailed)
    #expect(try await upload(.file("\(folder.path)/none"))?.kind == .bodyFailed)
  }
}
