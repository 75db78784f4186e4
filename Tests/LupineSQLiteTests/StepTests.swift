import LupineCore
import LupineSupport
import Testing

@testable import LupineSQLite

/// The work of SQLite for the operations on all responses, in steps of its virtual machine.
@Suite(.timeLimit(.minutes(2))) struct StepTests {
  /// Stores some responses, and returns the steps that an operation on all of them takes.
  private func steps(_ count: Int, _ operation: (SQLiteStore) async throws -> Void) async throws -> Int {
    let stage = try StoreFolderStage()
    let store = stage.makeStore()
    for number in 0..<count { try await store.add("key \(number)", StoreFolderStage.content(number, count: 100)) }
    let steps = try await StepCount.count { try await operation(store) }
    await store.close()
    return withExtendedLifetime(stage) { steps }
  }

  /// Five times as many responses need about five times as many steps.
  private func expectLinear(_ operation: (SQLiteStore) async throws -> Void) async throws {
    let (small, large) = (try await steps(400, operation), try await steps(2_000, operation))
    #expect(small >= 400)
    #expect(large <= 6 * small, "\(small) and \(large) steps")
  }

  @Test func `the list of all responses takes work in proportion to their number`() async throws {
    try await expectLinear { store in
      try await store.removeAll { _ in false }
    }
  }

  @Test func `the removal of all responses takes work in proportion to their number`() async throws {
    try await expectLinear { store in
      try await store.removeAll { _ in true }
      #expect(try await store.size() == 0)
    }
  }

  @Test func `the removal of some responses takes work in proportion to the number of all`() async throws {
    try await expectLinear { store in
      try await store.removeAll { $0.record.key.hasSuffix("7") }
    }
  }
}
