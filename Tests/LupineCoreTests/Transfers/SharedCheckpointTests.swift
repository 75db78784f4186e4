import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineTransfers
import LupineFixtures
import LupineMock
import Testing

/// Two concurrent downloads that share one checkpoint.
@Suite struct SharedCheckpointTests: TransferSuite {
  let bench: TransferBench
  let events = EventLog()
  private let text = String(repeating: "0123456789", count: 10)

  init() throws { bench = try TransferBench { [events] in $0.monitor(events) } }

  private func resource(_ tag: String?) -> MockReply { .resource(Data(text.utf8), etag: tag) }

  private func download(_ path: String, to name: String) -> DownloadRequest {
    session.download(path, to: .file(folder.file(name))).checkpoint(folder.file("resume"))
  }

  /// Downloads `a`, and downloads `second` to its end after the head of `a` has arrived.
  private func downloadBoth(_ second: String) async -> (first: LupineError?, second: LupineError?, isKept: Bool) {
    let (errors, kept) = (Notes<LupineError?>(), Notes<Bool>())
    let (session, folder) = (session, folder)
    let response = await download("a", to: "a").onHTTPResponse { _ in
      let before = try? folder.text("resume")
      let other = session.download(second, to: .file(folder.file("b"))).checkpoint(folder.file("resume"))
      errors.add(await other.serializingFile().response.error)
      kept.add((try? folder.text("resume")) == before)
      return .allow
    }.serializingFile().response
    return (response.error, errors.all.first ?? nil, kept.all == [true])
  }

  @Test(arguments: ["a", "b"])
  func `the checkpoint stays that of the download that has it`(second: String) async throws {
    let (cut, whole) = (resource("v1").reset(afterBytes: 40), resource("v1"))
    mock.stub(.get, "/a", .sequence(second == "a" ? [cut, whole, whole] : [cut, whole]))
    mock.stub(.get, "/b", whole)
    let ends = await downloadBoth(second)
    #expect(ends.first?.kind == .connectionLost)
    #expect(ends.second == nil)
    #expect(ends.isKept)
    #expect(try folder.text("b") == text)
    _ = try await download("a", to: "a").serializingFile().value
    #expect(mock.requests.last?.headers[.range] == "bytes=40-")
    #expect(try folder.text("a") == text)
    #expect(folder.names == ["a", "b"])
  }

  @Test(arguments: ["a", "b"])
  func `whose checkpoint another has is warned`(second: String) async throws {
    mock.stub(.get, "/a", resource("v1"))
    mock.stub(.get, "/b", resource("v1"))
    #expect(await downloadBoth(second).second == nil)
    #expect(events.names.count { $0 == "warning" } == 1)
    #expect(events.names.count { $0 == "continued" } == 1)
    #expect(folder.names == ["a", "b"])
  }

  @Test func `a download without a checkpoint does not remove that of another`() async throws {
    mock.stub(.get, "/a", resource(nil))
    mock.stub(.get, "/b", .sequence([resource("v1").reset(afterBytes: 40), resource("v1")]))
    let ends = await downloadBoth("b")
    #expect(ends.first == nil)
    #expect(ends.second?.kind == .connectionLost)
    #expect(folder.names.contains("resume"))
    _ = try await download("b", to: "b").serializingFile().value
    #expect(mock.requests.last?.headers[.range] == "bytes=40-")
    #expect(folder.names == ["a", "b"])
  }
}
