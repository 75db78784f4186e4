import LupineCache
import LupineCore
import LupineFoundation
import HTTPTypes
import LupineSupport

/// A store whose every method fails.
struct FailingStore: ResponseStore {
  private let failure = LupineError(.other, "The store of the test fails.")

  func responses(for key: String) async throws(LupineError) -> [StoredResponse] { throw failure }
  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
    throw failure
  }
  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    throw failure
  }
  func update(_ response: StoredResponse, to record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    throw failure
  }
  func remove(_ response: StoredResponse) async throws(LupineError) { throw failure }
  func removeAll(for key: String) async throws(LupineError) { throw failure }
  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    throw failure
  }
  func size() async throws(LupineError) -> Int64 { throw failure }
}

/// A store in memory that passes its calls on, so that another store changes some of them.
protocol WrappingStore: ResponseStore {
  var base: MemoryResponseStore { get }
}

extension WrappingStore {
  func responses(for key: String) async throws(LupineError) -> [StoredResponse] { try await base.responses(for: key) }
  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
    try await base.content(of: response, in: range)
  }
  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    try await base.makeWriter(for: record, length: length)
  }
  func update(_ response: StoredResponse, to record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    try await base.update(response, to: record)
  }
  func remove(_ response: StoredResponse) async throws(LupineError) { try await base.remove(response) }
  func removeAll(for key: String) async throws(LupineError) { try await base.removeAll(for: key) }
  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    try await base.removeAll(where: matches)
  }
  func size() async throws(LupineError) -> Int64 { try await base.size() }
}

/// A store that makes no writer before its gate is open.
struct SlowStore: WrappingStore {
  let base = MemoryResponseStore(size: .megabytes(64))
  let gate = Signal()

  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    await gate.wait()
    return try await base.makeWriter(for: record, length: length)
  }
}

/// A store that has removed each response when its content is read.
struct ForgetfulStore: WrappingStore {
  let base: MemoryResponseStore

  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? { nil }
}

/// A store that fails to read contents and to update records.
struct ReadFailingStore: WrappingStore {
  let base = MemoryResponseStore(size: .megabytes(8))

  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
    throw LupineError(.other, "The content cannot be read.")
  }
  func update(_ response: StoredResponse, to record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    throw LupineError(.other, "The record cannot be updated.")
  }
}
