import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization
import Testing

@testable import LupineCache

/// Responses that a store could not remove.
@Suite struct OwedRemovalTests {
  /// A store whose responses cannot be removed by key until it is repaired.
  private final class UnremovableStore: WrappingStore {
    let base = MemoryResponseStore(size: .megabytes(8))
    private let isBroken = Atomic(true)

    func repair() { isBroken.store(false, ordering: .relaxed) }

    func removeAll(for key: String) async throws(LupineError) {
      guard !isBroken.load(ordering: .relaxed) else { throw LupineError(.other, "The store is broken.") }
      try await base.removeAll(for: key)
    }
  }

  @Test(arguments: [1, 1_000, 1_001, 3_000])
  func `a response that could not be removed is never returned, however many there are`(count: Int) async throws {
    let base = UnremovableStore()
    let store = BoundedStore(base, StoreCalls())
    for number in 0..<count {
      let record = ResponseRecord(key: "\(number)", head: HTTPResponse(status: .ok))
      let writer = try #require(try await store.makeWriter(for: record, length: 0))
      _ = try await writer.commit(trailers: nil)
    }
    for number in 0..<count {
      await #expect(throws: LupineError.self) { try await store.removeAll(for: "\(number)") }
    }
    base.repair()
    for number in 0..<count { #expect(try await store.responses(for: "\(number)").isEmpty) }
  }
}
