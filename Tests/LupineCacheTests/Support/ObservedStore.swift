import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import Synchronization

/// A store in memory whose writers are counted, and may fail.
final class ObservedStore: WrappingStore {
  /// The call of one writer that fails.
  enum Fault: Sendable {
    case none
    /// The store takes no such response.
    case noWriter
    /// The store has no room after a number of bytes.
    case full(after: Int)
    case commit
  }

  let base = MemoryResponseStore(size: .megabytes(64))
  private let fault: @Sendable () -> Fault
  private let count = Atomic(0)

  init(_ fault: @escaping @Sendable () -> Fault = { .none }) { self.fault = fault }

  /// The number of writers that exist.
  var openWriters: Int { count.load(ordering: .relaxed) }

  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    let fault = fault()
    if case .noWriter = fault { return nil }
    return try await base.makeWriter(for: record, length: length).map { Writer($0, fault, self) }
  }

  private final class Writer: ResponseStoreWriter {
    private let base: any ResponseStoreWriter
    private let fault: Fault
    private let store: ObservedStore
    private let count = Atomic(0)

    init(_ base: any ResponseStoreWriter, _ fault: Fault, _ store: ObservedStore) {
      self.base = base
      self.fault = fault
      self.store = store
      store.count.add(1, ordering: .relaxed)
    }

    deinit { store.count.subtract(1, ordering: .relaxed) }

    func append(_ bytes: Data) async throws(LupineError) {
      let sum = count.add(bytes.count, ordering: .relaxed).newValue
      if case .full(let limit) = fault, sum > limit { throw LupineError(.other, "The store of the test is full.") }
      try await base.append(bytes)
    }

    func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
      if case .commit = fault { throw LupineError(.other, "The store of the test does not commit.") }
      return try await base.commit(trailers: trailers)
    }

    func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
      try await base.commit(as: record)
    }

    func abort() async { await base.abort() }
  }
}
