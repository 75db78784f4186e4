import LupineCore
import LupineSupport
import Synchronization

/// The leases of a store, and which of them this cache has.
///
/// If another request of this cache has the lease, a request waits for its release. While another machine has the lease,
/// the request asks the store again and again.
final class CacheLeases: Sendable {
  /// A lease of this cache, from the moment at which it asks the store for it.
  final class Held: Sendable {
    fileprivate let key: String
    fileprivate let lease = Mutex<ResponseLease?>(nil)
    /// Set once this cache has the lease no longer.
    fileprivate let isOver = Signal()

    fileprivate init(_ key: String) { self.key = key }
  }

  private let leases: any ResponseLeases
  private let lifetime: Duration
  /// The leases of this cache by their keys.
  private let held = Mutex<[String: Held]>([:])

  /// - Parameter lifetime: the time after which a lease ends by itself.
  init(_ leases: any ResponseLeases, lifetime: Duration) {
    self.leases = leases
    self.lifetime = lifetime
  }

  /// Takes the lease of a key; waits for its release if this cache has it.
  ///
  /// - Parameter end: the time of the clock at which it stops waiting.
  /// - Returns: `nil` if another machine has the lease, or if this cache has it until `end`.
  /// - Throws: the error of the store, or `cancelled` if the task was cancelled.
  func acquire(_ key: String, until end: Duration, on clock: SessionClock) async throws(LupineError) -> Held? {
    let new = Held(key)
    while let other = reserve(new) {
      guard clock.now() < end else { return nil }
      _ = await other.isOver.wait(until: end, on: clock)
      if Task.isCancelled { throw LupineError(.cancelled, "The task that waited for a lease was cancelled.") }
    }
    do throws(LupineError) {
      guard let lease = try await leases.acquireLease(for: key, lifetime: lifetime) else {
        forget(new)
        return nil
      }
      new.lease.withLock { $0 = lease }
      return new
    } catch {
      forget(new)
      throw error
    }
  }

  /// Records a new lease, for which the caller then asks the store.
  ///
  /// If this cache already has a lease with the same key, it records nothing and returns that lease.
  private func reserve(_ new: Held) -> Held? {
    held.withLock { held in
      if let other = held[new.key] { return other }
      held[new.key] = new
      return nil
    }
  }

  /// Releases a lease at the store; if the store fails, the lease expires there.
  func release(_ own: Held) async {
    if let lease = own.lease.withLock({ $0 }) { _ = try? await leases.release(lease) }
    forget(own)
  }

  /// Removes a lease without a release at the store, where it expires.
  func forget(_ own: Held) {
    held.withLock { held in
      if held[own.key] === own { held[own.key] = nil }
    }
    own.isOver.set()
  }
}
