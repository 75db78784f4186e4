import Synchronization

/// What happened in all the worlds of an exploration: what never happens is never checked.
final class Incidents: Sendable {
  enum Kind: CaseIterable {
    case retry, spentRetries, hedge, spentHedges, redirect, refresh, failedRefresh, excessiveRefresh, openCircuit,
      cancellation
  }

  private let counts = Mutex<[Kind: Int]>([:])

  func add(_ count: Int, of kind: Kind) { counts.withLock { $0[kind, default: 0] += count } }

  func count(of kind: Kind) -> Int { counts.withLock { $0[kind] ?? 0 } }
}
