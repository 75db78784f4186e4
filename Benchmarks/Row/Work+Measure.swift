import Synchronization

extension Work {
  /// Makes the requests and prints their cost as one line of JSON.
  @concurrent
  public func measure(_ request: @escaping @Sendable () async throws -> Void) async throws {
    try await make(warmUp, request)
    let before = Cost.now
    try await make(count, request)
    print((Cost.now - before).json(requests: count))
  }

  /// Makes `count` requests, `concurrency` of them at a time.
  private func make(_ count: Int, _ request: @escaping @Sendable () async throws -> Void) async throws {
    guard concurrency > 1 else {
      for _ in 0..<count { try await request() }
      return
    }
    let next = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask { while next.take() < count { try await request() } }
      }
      try await group.waitForAll()
    }
  }
}

/// Counts from 0.
public final class Counter: Sendable {
  private let value = Atomic(0)

  /// Creates a counter.
  public init() {}

  /// Returns the next number.
  public func take() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
