import Foundation
import HTTPTypes
import LupineFixtures
import LupineMock
import LupineSupport
@testable import LupineSession
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineTransfers

/// Downloads that continue on another file system than the one on which they began.
@Suite(.enabled("there is no other file system here") { OtherFileSystem.isThere })
struct MovedDownloadTests: TransferSuite {
  let bench: TransferBench
  let events = EventLog()
  let other: TemporaryFolder
  private let text = "0123456789"

  init() throws {
    bench = try TransferBench { [events] in $0.monitor(events) }
    other = try OtherFileSystem.folder()
  }

  private var whole: MockReply { .resource(Data(text.utf8), etag: "v1") }
  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  private func interrupted(_ rest: MockReply...) async throws -> Data {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4)] + rest))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    #expect(folder.names.count == 1)
    return try #require(data)
  }

  private func resume(_ data: Data, to destination: DownloadDestination) async -> DownloadResponse<URL> {
    await session.download(resumingWith: data, to: destination, otherwise: .fail).serializingFile().response
  }

  @Test func `a download continues to a file on another file system`() async throws {
    let data = try await interrupted(whole)
    let response = await resume(data, to: .file(other.file("x/y/a"), .createIntermediateDirectories))
    #expect(response.value?.path == other.file("x/y/a"))
    #expect(try other.text("x/y/a") == text)
    #expect(ranges == [nil, "bytes=4-"])
    #expect(folder.names.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.file("x/y")) == ["a"])
  }

  @Test func `a download continues to a folder on another file system, with the server's name`() async throws {
    let data = try await interrupted(whole.field(.contentDisposition, "attachment; filename=named"))
    let response = await resume(data, to: .folder(other.path))
    #expect(response.error == nil)
    #expect(try other.text("named") == text)
    #expect(ranges == [nil, "bytes=4-"])
    #expect(folder.names.isEmpty)
    #expect(other.names == ["named"])
  }

  @Test func `if a closure decides it at the head, the rest is requested once more`() async throws {
    let data = try await interrupted(whole)
    let place = other.file("a")
    let response = await resume(data, to: .custom { _ in (place, []) })
    #expect(response.error == nil)
    #expect(try other.text("a") == text)
    #expect(ranges == [nil, "bytes=4-", "bytes=4-"])
    #expect(events.names.count { $0 == "continued" } == 2)
    #expect(folder.names.isEmpty)
    #expect(other.names == ["a"])
  }

  @Test func `a closure that names another file system each time has its way at the end`() async throws {
    let data = try await interrupted(whole)
    let places = [other.file("a"), folder.file("b")]
    let count = Atomic(0)
    let destination = DownloadDestination.custom { _ in
      (places[min(1, count.wrappingAdd(1, ordering: .relaxed).oldValue)], [])
    }
    let response = await resume(data, to: destination)
    #expect(response.value?.path == places[1])
    #expect(try folder.text("b") == text)
    #expect(ranges.count == 3)
    #expect(folder.names == ["b"])
    #expect(other.names.isEmpty)
  }

  @Test func `a new beginning moves nothing`() async throws {
    let data = try await interrupted(.resource(Data("abcdef".utf8), etag: "v2"))
    let place = other.file("a")
    let response = await session.download(resumingWith: data, to: .custom { _ in (place, []) }).serializingFile()
      .response
    #expect(response.error == nil)
    #expect(try other.text("a") == "abcdef")
    #expect(ranges == [nil, "bytes=4-"])
    #expect(folder.names.isEmpty)
    #expect(other.names == ["a"])
  }

  @Test(arguments: [false, true])
  func `a file that cannot be moved stays, and can be resumed`(isDecidedAtHead: Bool) async throws {
    let data = try await interrupted(whole)
    let destination =
      isDecidedAtHead ? DownloadDestination.custom { _ in ("/proc/lupine", []) } : .file("/proc/lupine")
    let response = await resume(data, to: destination)
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.message.contains("/proc/.lupine") == true)
    #expect(ranges == (isDecidedAtHead ? [nil, "bytes=4-"] : [nil]))
    #expect(!folder.names.contains("a"))
    #expect(folder.names.count == 1)
    let again = try #require(response.resumeData)
    #expect(await resume(again, to: .file(folder.file("a"))).error == nil)
    #expect(try folder.text("a") == text)
    #expect(ranges.last == "bytes=4-")
  }

  @Test func `a whole file that cannot be moved stays and is named`() async throws {
    let data = try await interrupted(whole)
    let places = [other.file("a"), "/proc/lupine"]
    let count = Atomic(0)
    let destination = DownloadDestination.custom { _ in
      (places[min(1, count.wrappingAdd(1, ordering: .relaxed).oldValue)], [])
    }
    let response = await resume(data, to: destination)
    #expect(response.error?.kind == .fileFailed)
    let partial = try #require(other.names.first)
    #expect(response.error?.message.contains(other.file(partial)) == true)
    #expect(try other.text(partial) == text)
    #expect(await resume(try #require(response.resumeData), to: .file(other.file("a"))).error == nil)
    #expect(other.names == ["a"])
  }

  @Test func `the checkpoint has the new place of the partial file`() async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole.reset(afterBytes: 3), whole]))
    let checkpoint = folder.file("a.resume")
    var response: DownloadResponse<URL>?
    for place in [folder.file("a"), other.file("a"), other.file("a")] {
      response = await session.download("a", to: .file(place)).checkpoint(checkpoint, otherwise: .fail)
        .serializingFile().response
    }
    #expect(response?.error == nil)
    #expect(ranges == [nil, "bytes=4-", "bytes=7-"])
    #expect(try other.text("a") == text)
    #expect(folder.names.isEmpty)
    #expect(other.names == ["a"])
  }

  @Test func `a checkpoint has the new place of the partial file, also if resume data continued it`() async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole.reset(afterBytes: 3), whole]))
    let checkpoint = folder.file("a.resume")
    let first = session.download("a", to: .file(folder.file("a"))).checkpoint(checkpoint)
    let data = try #require(await first.serializingFile().response.resumeData)
    let second = session.download(resumingWith: data, to: .file(other.file("a"))).checkpoint(checkpoint)
    #expect(await second.serializingFile().response.error?.kind == .connectionLost)
    let third = session.download("a", to: .file(other.file("a"))).checkpoint(checkpoint, otherwise: .fail)
    #expect(await third.serializingFile().response.error == nil)
    #expect(ranges == [nil, "bytes=4-", "bytes=7-"])
    #expect(!events.names.contains("warning"))
    #expect(folder.names.isEmpty)
    #expect(other.names == ["a"])
  }

  @Test func `a partial file's copy is its owner's alone, and nothing is left of one that was cancelled`() async throws
  {
    let partial = try PartialFile.create(beside: folder.file("a"))
    _ = Array(repeating: UInt8(ascii: "x"), count: 600_000).withUnsafeBytes { $0.write(to: partial.descriptor) }
    let place = other.file("a")
    let copy = try await partial.copied(beside: place)
    #expect(copy.length == 600_000)
    let mode = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    copy.remove()
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await partial.copied(beside: place)
    }
    await #expect { try await cancelled.value } throws: { ($0 as? LupineError)?.kind == .cancelled }
    #expect(other.names.isEmpty)
    #expect(partial.length == 600_000)
  }
}
