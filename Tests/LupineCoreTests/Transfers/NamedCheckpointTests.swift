import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

/// Checkpoints of files whose URL changes each time, such as those of signed URLs.
@Suite struct NamedCheckpointTests: TransferSuite {
  let bench: TransferBench
  let events = EventLog()

  init() throws {
    bench = try TransferBench { [events] in $0.monitor(events) }
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    mock.stub(.get, "/other", whole)
  }

  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }
  private var reasons: [String] {
    events.all.compactMap { if case .continued(_, let reason) = $0.kind { reason } else { nil } }
  }

  private func download(
    _ url: String, _ identity: String?, in store: (any CheckpointStore)? = nil
  ) async -> DownloadResponse<URL> {
    let request = session.download(url, to: .file(folder.file("a")))
    if let store {
      request.checkpoint("a.resume", in: store, as: identity)
    } else {
      request.checkpoint(folder.file("a.resume"), as: identity)
    }
    return await request.serializingFile().response
  }

  @Test(arguments: [false, true])
  func `a checkpoint with a name is continued under another URL`(isInStore: Bool) async throws {
    let store: (any CheckpointStore)? = isInStore ? FileCheckpointStore(folder: folder.path) : nil
    #expect(await download("a?signature=1", "a.iso", in: store).error?.kind == .connectionLost)
    #expect(await download("a?signature=2", "a.iso", in: store).error == nil)
    #expect(ranges == [nil, "bytes=4-"])
    #expect(mock.requests.last?.url.query == "signature=2")
    #expect(mock.requests.last?.headers[.ifRange] == "\"v1\"")
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
  }

  @Test func `a checkpoint proves how much of the file is on the disk`() async throws {
    let store = FileCheckpointStore(folder: folder.path)
    #expect(await download("a?signature=1", "a.iso", in: store).error?.kind == .connectionLost)
    let state = try #require(try store.read("a.resume"))
    #expect(DownloadRequest.progress(of: state)?.completed == 4)
    #expect(DownloadRequest.progress(of: state)?.total == 10)
    #expect(DownloadRequest.progress(of: Data("no state".utf8)) == nil)
    for name in folder.names where name != "a.resume" { try FileManager.default.removeItem(atPath: folder.file(name)) }
    #expect(DownloadRequest.progress(of: state) == nil)
  }

  @Test func `another version under the name begins again`() async throws {
    mock.stub(.get, "/changed", .resource(Data("abcdefghij".utf8), etag: "v2"))
    _ = await download("a?signature=1", "a.iso")
    #expect(await download("changed", "a.iso").error == nil)
    #expect(try folder.text("a") == "abcdefghij")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [("a.iso", "b.iso"), (nil, nil), ("a.iso", nil), (nil, "b.iso")] as [(String?, String?)])
  func `a checkpoint of another URL or name is reported and kept`(first: String?, second: String?) async throws {
    _ = await download("a?signature=1", first)
    #expect(await download("a?signature=2", second).error == nil)
    #expect(ranges == [nil, nil])
    #expect(reasons.count == 1)
    #expect(reasons.first?.contains("a.resume") == true)
    #expect(reasons.first?.contains("checkpoint(_:as:)") == true)
    #expect(reasons.first?.contains("signature") == false)
    #expect(folder.names.contains("a.resume"))
  }

  @Test func `the same URL is the same file, with a name or without`() async throws {
    _ = await download("a", nil)
    #expect(await download("a", "a.iso").error == nil)
    #expect(ranges == [nil, "bytes=4-"])
  }

  @Test func `a checkpoint of another path is reported without advice`() async throws {
    _ = await download("a", nil)
    #expect(await download("other", nil).error == nil)
    #expect(reasons.count == 1)
    #expect(reasons.first?.contains("checkpoint(_:as:)") == false)
  }

  @Test func `a retry that cannot continue reports the reason`() async throws {
    mock.stub(.get, "/plain", .sequence([.text("0123456789").reset(afterBytes: 4), .text("0123456789")]))
    let request = session.download("plain", to: .file(folder.file("a"))).resumesAutomatically()
    _ = try await request.serializingFile().value
    #expect(reasons.count == 1)
    #expect(reasons.first?.contains("no strong validator") == true)
  }
}
