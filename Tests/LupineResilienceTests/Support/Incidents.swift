import Synchronization

/// Counts the incidents in all simulations of an exploration.
///
/// The test requires at least one of each kind, because it cannot check behaviour that never occurs.
final class Incidents: Sendable {
  enum Kind: CaseIterable {
    case retry, spentRetries, hedge, spentHedges, redirect, refresh, failedRefresh, excessiveRefresh, openCircuit,
      cancellation
  }

  private let counts = Mutex<[Kind: Int]>([:])

  func add(_ count: Int, of kind: Kind) { counts.withLock { $0[kind, default: 0] += count } }

  func count(of kind: Kind) -> Int { counts.withLock { $0[kind] ?? 0 } }
}
