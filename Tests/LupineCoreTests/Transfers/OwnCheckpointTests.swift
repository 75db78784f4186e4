import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
@testable import LupineTransfers
import Synchronization
import Testing

/// Downloads whose checkpoints are in a store of the program.
@Suite struct OwnCheckpointTests: TransferSuite {
  let bench: TransferBench
  private let events = EventLog()
  private let store = MemoryStore()

  init() throws { bench = try TransferBench { [events] in $0.monitor(events) } }

  private var whole: MockReply { .resource(Data("0123456789".utf8), etag: "v1") }
  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  private func download(_ path: String = "a", otherwise policy: ResumePolicy = .restart) async
    -> DownloadResponse<URL>
  {
    await session.download(path, to: .file(folder.file(path))).checkpoint(
      "one", in: store, otherwise: policy
    )
    .serializingFile().response
  }

  @Test func `a download continues with a state in a store of the program, and removes it`()
    async throws
  {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    #expect(await download().error?.kind == .connectionLost)
    #expect(store.states.keys.sorted() == ["one"])
    #expect(folder.names.count == 1)
    #expect(await download().error == nil)
    #expect(ranges == [nil, "bytes=4-"])
    #expect(try folder.text("a") == "0123456789")
    #expect(folder.names == ["a"])
    #expect(store.states.isEmpty)
  }

  @Test func `a store is asked when the download starts, and not on the thread that describes it`()
    async throws
  {
    mock.stub(.get, "/a", whole)
    let request = session.download("a", to: .file(folder.file("a"))).checkpoint("one", in: store)
    #expect(store.threads.isEmpty)
    _ = try await request.serializingFile().value
    #expect(store.threads == ["lupine-disk"])
  }

  @Test func `a checkpoint that is set while the download works on its files is kept`() async throws {
    let request = session.download("a", to: .file(folder.file("a")))
    try await request.consumer.change { [store] (_) throws(LupineError) in
      _ = request.checkpoint("one", in: store)
    }
    var isKept = false
    request.consumer.set { isKept = $0.settings.checkpoint != nil }
    #expect(isKept)
  }

  @Test func `a state of another download, and a value that is no state, stay`()
    async throws
  {
    for foreign in [Data("{}".utf8), Data("no state".utf8)] {
      store.put(foreign)
      mock.stub(.get, "/a", whole.reset(afterBytes: 4))
      #expect(await download().error?.kind == .connectionLost)
      #expect(await download(otherwise: .fail).error?.kind == .resumeFailed)
      #expect(store.states == ["one": foreign])
    }
    #expect(events.names.contains("warning"))
  }

  @Test func `a store that cannot be read is left aside, or fails the download, as chosen`()
    async throws
  {
    mock.stub(.get, "/a", whole)
    store.put(Data(), failing: true)
    #expect(await download(otherwise: .fail).error?.kind == .resumeFailed)
    #expect(ranges.isEmpty)
    #expect(await download().error == nil)
    #expect(try folder.text("a") == "0123456789")
  }

  @Test func `a store that cannot be written fails the download`() async throws {
    mock.stub(.get, "/a", whole)
    store.failWrites()
    let error = await download().error
    #expect(error?.kind == .fileFailed)
    #expect(error?.message == "no room")
    #expect(folder.names.isEmpty)
  }

  @Test func `a download that is given up leaves neither its state nor its file`() async throws {
    mock.stub(.get, "/a", whole.reset(afterBytes: 4))
    #expect(await download().error?.kind == .connectionLost)
    DownloadRequest.discard(checkpoint: "other", in: store)
    #expect(folder.names.count == 1)
    DownloadRequest.discard(checkpoint: "one", in: store)
    #expect(folder.names.isEmpty)
    #expect(store.states.isEmpty)
  }

  @Test func `a download that is cancelled before it starts can still be resumed`() async throws {
    mock.stub(.get, "/a", whole.reset(afterBytes: 4))
    #expect(await download().error?.kind == .connectionLost)
    let request = session.download("a", to: .file(folder.file("a"))).checkpoint("one", in: store)
    request.cancel()
    let response = await request.serializingFile().response
    #expect(response.error?.kind == .cancelled)
    #expect(response.resumeData != nil)
    #expect(store.states.count == 1)
  }
}

/// Keeps states in memory, and the names of the threads that call its methods.
private final class MemoryStore: CheckpointStore {
  private struct State {
    var states: [String: Data] = [:]
    var threads: Set<String> = []
    var failsReads = false
    var failsWrites = false
  }

  private let state = Mutex(State())

  var states: [String: Data] { state.withLock { $0.states } }
  var threads: Set<String> { state.withLock { $0.threads } }

  func put(_ data: Data, failing: Bool = false) {
    state.withLock { state in
      state.states["one"] = data
      state.failsReads = failing
    }
  }

  func failWrites() { state.withLock { $0.failsWrites = true } }

  func read(_ name: String) throws(LupineError) -> Data? {
    note()
    guard !state.withLock({ $0.failsReads }) else { throw LupineError(.other, "no answer") }
    return states[name]
  }

  func write(_ data: Data, to name: String) throws(LupineError) {
    note()
    guard !state.withLock({ $0.failsWrites }) else { throw LupineError(.fileFailed, "no room") }
    state.withLock { $0.states[name] = data }
  }

  func remove(_ name: String) {
    note()
    state.withLock { $0.states[name] = nil }
  }

  private func note() {
    state.withLock { _ = $0.threads.insert(CurrentThread.name) }
  }
}
