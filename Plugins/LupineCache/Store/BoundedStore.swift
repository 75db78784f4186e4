import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// Bounds the calls of a store that may not answer; see `StoreCalls`.
///
/// Responses that could not be removed are removed before their key is read again.
final class BoundedStore: ResponseStore {
  private let base: any ResponseStore
  private let calls: StoreCalls

  init(_ base: any ResponseStore, _ calls: StoreCalls) {
    self.base = base
    self.calls = calls
  }

  var leases: (any ResponseLeases)? { base.leases.map { BoundedLeases(base: $0, calls: calls) } }

  func hashKey() throws(LupineError) -> [UInt8]? { try base.hashKey() }

  func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    switch calls.debt(of: key) {
    case .none: break
    case .key: try await removeAll(for: key)
    case .all:
      try await calls.call { [base] () throws(LupineError) in try await base.removeAll { _ in true } }
      calls.settleAll()
    }
    return try await calls.call { [base] () throws(LupineError) in try await base.responses(for: key) }
  }

  func content(
    of response: StoredResponse, in range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody? {
    try await calls.call { [base] () throws(LupineError) in try await base.content(of: response, in: range) }
  }

  func makeWriter(
    for record: ResponseRecord, length: Int64?
  ) async throws(LupineError) -> (any ResponseStoreWriter)? {
    let made = try await calls.call { [base] () throws(LupineError) in
      try await base.makeWriter(for: record, length: length)
    }
    guard let made else { return nil }
    return BoundedWriter(made, base, calls)
  }

  func update(
    _ response: StoredResponse, to record: ResponseRecord
  ) async throws(LupineError) -> StoredResponse? {
    try await calls.call { [base] () throws(LupineError) in try await base.update(response, to: record) }
  }

  func remove(_ response: StoredResponse) async throws(LupineError) {
    do throws(LupineError) {
      try await calls.call { [base] () throws(LupineError) in try await base.remove(response) }
    } catch {
      calls.oweRemoval(of: response.record.key)
      throw error
    }
  }

  func removeAll(for key: String) async throws(LupineError) {
    do throws(LupineError) {
      try await calls.call { [base] () throws(LupineError) in try await base.removeAll(for: key) }
    } catch {
      calls.oweRemoval(of: key)
      throw error
    }
    calls.settleRemoval(of: key)
  }

  // The program calls these two methods. They have no time limit, because the program can cancel them.

  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    try await calls.call(isBounded: false) { [base] () throws(LupineError) in try await base.removeAll(where: matches) }
  }

  func size() async throws(LupineError) -> Int64 {
    try await calls.call(isBounded: false) { [base] () throws(LupineError) in try await base.size() }
  }
}

/// The leases of a store that may not answer.
private struct BoundedLeases: ResponseLeases {
  let base: any ResponseLeases
  let calls: StoreCalls

  func acquireLease(for key: String, lifetime: Duration) async throws(LupineError) -> ResponseLease? {
    try await calls.call { [base] lease in
      if let lease { _ = try? await base.release(lease) }
    } _: { [base] () throws(LupineError) in
      try await base.acquireLease(for: key, lifetime: lifetime)
    }
  }

  func release(_ lease: ResponseLease) async throws(LupineError) -> Bool {
    try await calls.call { [base] () throws(LupineError) in try await base.release(lease) }
  }
}

/// A writer of a store that may not answer.
private final class BoundedWriter: ResponseStoreWriter {
  private let base: any ResponseStoreWriter
  private let store: any ResponseStore
  private let calls: StoreCalls
  /// Whether a call that was given up may still be running.
  private let isGivenUp = Atomic(false)

  init(_ base: any ResponseStoreWriter, _ store: any ResponseStore, _ calls: StoreCalls) {
    self.base = base
    self.store = store
    self.calls = calls
  }

  func append(_ bytes: Data) async throws(LupineError) {
    try await call { [base] () throws(LupineError) in try await base.append(bytes) }
  }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    try await commit { [base] () throws(LupineError) in try await base.commit(trailers: trailers) }
  }

  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    try await commit { [base] () throws(LupineError) in try await base.commit(as: record) }
  }

  /// Stores the response, and removes it if the call was given up meanwhile: a request may have changed the resource.
  private func commit(
    _ work: @escaping @Sendable () async throws(LupineError) -> StoredResponse?
  ) async throws(LupineError) -> StoredResponse? {
    try await call(undo: { [store] stored in if let stored { try? await store.remove(stored) } }, work)
  }

  // The calls of a writer must not overlap. If a call was given up, the release of the writer aborts it.
  func abort() async {
    guard !isGivenUp.load(ordering: .relaxed) else { return }
    try? await call { [base] () throws(LupineError) in await base.abort() }
  }

  private func call<Value: Sendable>(
    undo: @escaping @Sendable (Value) async -> Void = { _ in },
    _ work: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    do throws(LupineError) { return try await calls.call(undo: undo, work) } catch {
      if [.storeUnavailable, .cancelled].contains(error.kind) { isGivenUp.store(true, ordering: .relaxed) }
      throw error
    }
  }
}
