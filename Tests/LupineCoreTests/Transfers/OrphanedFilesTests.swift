import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Testing

@testable import LupineTransfers

/// Partial files of processes that were killed.
@Suite struct OrphanedFilesTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  /// Leaves the file of a process that was killed, and returns its path.
  private func orphan(_ name: String = "a") throws -> String {
    let path = OrphanedFiles.path(folder.file("." + name))
    chmod(try folder.write("0123", to: String(Folder.split(path).name)), 0o600)
    return path
  }

  /// Sets the time of the last change to some seconds before now.
  private func age(_ path: String, seconds: Int) {
    var times = [timespec(tv_sec: time(nil) - seconds, tv_nsec: 0), timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test func `the first download into a folder removes the files of killed processes`() async throws {
    let paths = try [orphan(), orphan("other"), orphan("a.b")]
    mock.stub(.get, "/a", .text("new"))
    _ = try await session.download("a", to: .file(folder.file("a"))).serializingFile().value
    #expect(!paths.contains { exists($0) })
    #expect(folder.names == ["a"])
  }

  @Test func `a file that a process writes is never removed`() async throws {
    let path = try orphan()
    let writer = open(path, O_RDWR)
    try #require(flock(writer, LOCK_EX | LOCK_NB) == 0)
    age(path, seconds: 1_000_000)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    #expect(exists(path))
    close(writer)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 1)
    #expect(!exists(path))
  }

  @Test func `a file that is being downloaded is never removed`() async throws {
    mock.stub(.get, "/a", .resource(Data(count: 10), etag: "v1").stall(afterBytes: 4))
    let session = try Session.Builder().transport(mock).clock(TestClock()).baseURL("https://example.com").build()
    let stream = AsyncStream.makeStream(of: Void.self)
    let request = session.download("a", to: .file(folder.file("a"))).downloadProgress { _ in stream.continuation.yield()
    }
    async let response = request.serializingFile().response
    for await _ in stream.stream { break }
    let names = folder.names
    #expect(names.count == 1)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    #expect(folder.names == names)
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
  }

  @Test(arguments: [true, false])
  func `a file that can be resumed is never removed`(hasCheckpoint: Bool) async throws {
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    let request = session.download("a", to: .file(folder.file("a")))
    if hasCheckpoint { request.checkpoint(folder.file("a.resume")) }
    let data = await request.serializingFile().response.resumeData
    for name in folder.names { age(folder.file(name), seconds: 1_000_000) }
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    let resumed = session.download(resumingWith: try #require(data), otherwise: .fail)
    _ = try await resumed.serializingFile().value
    #expect(try folder.text("a") == "0123456789")
  }

  @Test func `a finished temporary file is never removed`() async throws {
    mock.stub(.get, "/a", .text("whole"))
    let url = try await session.download("a").serializingFile().value
    #expect(OrphanedFiles.lastingPath(of: url.path) == nil)
    #expect(url.lastPathComponent.hasPrefix("lupine-download."))
    #expect(try String(contentsOf: url, encoding: .utf8) == "whole")
    unlink(url.path)
  }

  @Test(arguments: [
    "a", ".a", ".a.part-0123abcd", ".a.0123456789abc", ".a.0123456789abC.part-0123abcd",
    ".a.0123456789ab.part-0123abcd", ".a.0123456789abcd.part-0123abcd", ".a.0123456789abc.part-0123abc",
    ".a.0123456789abc.part-0123abcg", ".a.0123456789abc.part-0123abcde", ".a.0123456789abc.part-0123abcd.txt",
    "a.0123456789abc.part-0123abcd", "lupine-downloads.0123456789abc.part-0123abcd", ".0123456789abc.part-0123abcd",
    ".a.0123456789abc.PART-0123abcd", "0123456789abc.part-0123abcd",
  ])
  func `a file with another name is never removed`(name: String) throws {
    let path = try folder.write("precious", to: name)
    chmod(path, 0o600)
    age(path, seconds: 1_000_000)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    #expect(try folder.text(name) == "precious")
  }

  @Test func `a file that others may have written, a link and a folder are never removed`() throws {
    let shared = try orphan("shared")
    chmod(shared, 0o666)
    let linked = try orphan("linked")
    try #require(link(linked, folder.file("second name")) == 0)
    let victim = try folder.write("precious", to: "victim")
    let symbolic = OrphanedFiles.path(folder.file(".symbolic"))
    try #require(symlink(victim, symbolic) == 0)
    let directory = OrphanedFiles.path(folder.file(".directory"))
    try #require(mkdir(directory, 0o700) == 0)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    for path in [shared, linked, symbolic, directory, victim] { #expect(exists(path)) }
  }

  @Test(.enabled("only root can make files of another user") { geteuid() == 0 })
  func `a file of another user is never removed`() throws {
    let path = try orphan()
    try #require(chown(path, 12_345, 12_345) == 0)
    age(path, seconds: 1_000_000)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    #expect(exists(path))
  }

  #if os(Linux)
    @Test func `the name of a partial file ends in the number of the running system`() throws {
      let number = try Data(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id")).prefix(8)
      #expect(OrphanedFiles.path("x").hasSuffix(".part-" + String(decoding: number, as: UTF8.self)))
    }
  #endif

  @Test func `a file of another machine must be unchanged for a day`() throws {
    let path = folder.file(".a.0123456789abc.part-00000001")
    chmod(try folder.write("0123", to: ".a.0123456789abc.part-00000001"), 0o600)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    age(path, seconds: 86_000)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 0)
    age(path, seconds: 87_000)
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.path) == 1)
    #expect(!exists(path))
  }

  @Test func `a folder that does not exist has no orphans`() {
    #expect(DownloadRequest.discardAbandonedFiles(in: folder.file("none")) == 0)
    #expect(DownloadRequest.discardAbandonedFiles(in: "") == 0)
  }
}
