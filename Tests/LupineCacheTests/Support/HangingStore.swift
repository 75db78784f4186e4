import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineSupport

/// A store in memory that lets chosen calls hang until `recover()`, even if their task is cancelled.
final class HangingStore: WrappingStore, ResponseLeases {
  enum Call: CaseIterable, Sendable {
    case responses, content, makeWriter, append, commit, abort, update, remove, removeAll, acquire, release
  }

  let base = MemoryResponseStore(size: .megabytes(64))
  private let hanging = Box<Set<Call>>([])
  private let count = Box(0)
  private let gate = Signal()

  var leases: (any ResponseLeases)? { self }

  /// The number of calls that have hung.
  var hungCalls: Int { count.value }

  /// Lets calls hang from now on.
  func hang(_ calls: Set<Call>) { hanging.value = calls }

  /// Lets all calls return, also those that hang.
  func recover() {
    hanging.value = []
    gate.set()
  }

  fileprivate func reach(_ call: Call) async {
    guard hanging.value.contains(call) else { return }
    count.change { $0 += 1 }
    // A cancellation of the caller does not reach this task.
    await Task(executorPreference: ExecutorPreference.current) { [gate] in await gate.wait() }.value
  }

  func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    await reach(.responses)
    return try await base.responses(for: key)
  }

  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
    await reach(.content)
    return try await base.content(of: response, in: range)
  }

  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    await reach(.makeWriter)
    return try await base.makeWriter(for: record, length: length).map { Writer(base: $0, store: self) }
  }

  func update(_ response: StoredResponse, to record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    await reach(.update)
    return try await base.update(response, to: record)
  }

  func remove(_ response: StoredResponse) async throws(LupineError) {
    await reach(.remove)
    try await base.remove(response)
  }

  func removeAll(for key: String) async throws(LupineError) {
    await reach(.removeAll)
    try await base.removeAll(for: key)
  }

  func acquireLease(for key: String, lifetime: Duration) async throws(LupineError) -> ResponseLease? {
    await reach(.acquire)
    return ResponseLease(key: key, token: "token")
  }

  func release(_ lease: ResponseLease) async throws(LupineError) -> Bool {
    await reach(.release)
    return true
  }

  private final class Writer: ResponseStoreWriter {
    private let base: any ResponseStoreWriter
    private let store: HangingStore

    init(base: any ResponseStoreWriter, store: HangingStore) {
      self.base = base
      self.store = store
    }

    func append(_ bytes: Data) async throws(LupineError) {
      await store.reach(.append)
      try await base.append(bytes)
    }

    func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
      await store.reach(.commit)
      return try await base.commit(trailers: trailers)
    }

    func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
      await store.reach(.commit)
      return try await base.commit(as: record)
    }

    func abort() async {
      await store.reach(.abort)
      await base.abort()
    }
  }
}
