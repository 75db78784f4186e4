import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// A store in memory whose writers are counted, may fail, and may not be readable.
final class ObservedStore: WrappingStore {
  /// What fails of one writer.
  enum Fault: Sendable {
    case none
    /// The store takes no such response.
    case noWriter
    /// The store has no room after a number of bytes.
    case full(after: Int)
    case commit
    /// The content cannot be read before it is stored.
    case unreadable
    /// The store takes no more bytes than this before the signal is set.
    case slow(after: Int, until: Signal)
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
    guard let writer = try await base.makeWriter(for: record, length: length) as? any ReadableResponseStoreWriter else {
      return nil
    }
    let observed = Writer(writer, fault, self)
    if case .unreadable = fault { return observed }
    return ReadableWriter(base: observed)
  }

  /// A writer whose content is read when it is stored.
  private final class Writer: ResponseStoreWriter {
    let base: any ReadableResponseStoreWriter
    private let fault: Fault
    private let store: ObservedStore
    private let count = Atomic(0)

    init(_ base: any ReadableResponseStoreWriter, _ fault: Fault, _ store: ObservedStore) {
      self.base = base
      self.fault = fault
      self.store = store
      store.count.add(1, ordering: .relaxed)
    }

    deinit { store.count.subtract(1, ordering: .relaxed) }

    func append(_ bytes: Data) async throws(LupineError) {
      let sum = count.add(bytes.count, ordering: .relaxed).newValue
      if case .full(let limit) = fault, sum > limit { throw LupineError(.other, "The store of the test is full.") }
      if case .slow(let limit, let signal) = fault, sum > limit { await signal.wait() }
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

  private final class ReadableWriter: ReadableResponseStoreWriter {
    private let base: Writer

    init(base: Writer) { self.base = base }

    func append(_ bytes: Data) async throws(LupineError) { try await base.append(bytes) }
    func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
      try await base.commit(trailers: trailers)
    }
    func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
      try await base.commit(as: record)
    }
    func abort() async { await base.abort() }
    func read(_ range: Range<Int64>) async throws(LupineError) -> [UInt8] { try await base.base.read(range) }
  }
}
