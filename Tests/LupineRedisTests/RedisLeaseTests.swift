import LupineCore
import Testing

@testable import LupineRedis

@Suite(.enabled(if: RedisStage.isAvailable), .timeLimit(.minutes(1))) struct RedisLeaseTests {
  @Test func `one of 32 tasks gets the lease`() async throws {
    let stores = try (0..<4).map { _ in try RedisStage.store { $0.prefix = "test-lease" } }
    let leases = try await withThrowingTaskGroup(of: ResponseLease?.self) { group in
      for number in 0..<32 {
        group.addTask { try await stores[number % 4].acquireLease(for: "key", lifetime: .seconds(60)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
    }
    let lease = try #require(leases.first)
    #expect(leases.count == 1)
    #expect(try await stores[0].acquireLease(for: "other", lifetime: .milliseconds(1)) != nil)
    #expect(try await stores[1].release(lease))
    #expect(try await !stores[2].release(lease))
    let next = try #require(try await stores[3].acquireLease(for: "key", lifetime: .seconds(60)))
    #expect(try await stores[3].release(next))
  }

  @Test func `a lease ends with its lifetime, and its release leaves the next one`() async throws {
    let store = try RedisStage.store()
    let first = try #require(try await store.acquireLease(for: "key", lifetime: .milliseconds(20)))
    try await store.letServerWait(seconds: 0.05)
    let second = try #require(try await store.acquireLease(for: "key", lifetime: .seconds(60)))
    #expect(first != second)
    #expect(try await !store.release(first))
    #expect(try await store.acquireLease(for: "key", lifetime: .seconds(60)) == nil)
    #expect(try await store.release(second))
  }
}
