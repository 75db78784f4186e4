import LupineCore
import LupineSupport
import Synchronization

/// The leases of a store, and which of them this cache has.
///
/// A cache that asks for a lease that it has itself would wait as it does for another machine. It waits instead until
/// the lease is given back, which is soon after the response is stored.
final class CacheLeases: Sendable {
  /// A lease that this cache has.
  final class Held: Sendable {
    let lease: ResponseLease
    let isGivenBack = Signal()

    init(_ lease: ResponseLease) { self.lease = lease }
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

  /// The lease of a key, if this cache has it.
  func own(_ key: String) -> Held? { held.withLock { $0[key] } }

  /// Takes the lease of a key; `nil` if another holder has it.
  func acquire(_ key: String) async throws(LupineError) -> Held? {
    guard let lease = try await leases.acquireLease(for: key, lifetime: lifetime) else { return nil }
    let own = Held(lease)
    held.withLock { $0[key] = own }
    return own
  }

  /// Gives a lease back; if the store fails, it ends with its lifetime.
  func giveBack(_ own: Held) async {
    _ = try? await leases.release(own.lease)
    forget(own)
  }

  /// Leaves a lease to its lifetime.
  func forget(_ own: Held) {
    held.withLock { held in
      // Another one, if the lifetime of this one is over.
      if held[own.lease.key] === own { held[own.lease.key] = nil }
    }
    own.isGivenBack.set()
  }
}
