public import LupineCore
import Synchronization

/// The name lookups of a transport: those of the system's resolver, and those of each session's own resolver.
///
/// Each resolver has its own bound and its own answers: a resolver that hangs delays no other one, and an answer is never
/// used for a session with another resolver. The lookups of a session's resolver are released when no exchange, connection
/// or running call of the resolver needs them.
public final class ResolverLookups: Sendable {
  private struct Reference {
    weak let lookups: HostLookups?
  }

  private struct State {
    /// The lookups of sessions' resolvers, by the numbers of the resolvers.
    var others: [UInt64: Reference] = [:]
    /// The number of entries at which those of released lookups are removed.
    var capacity = 16
    var isClosed = false
  }

  /// The lookups of sessions without a resolver of their own.
  public let standard: HostLookups
  private let limit: Int
  private let lifetime: Duration
  private let state = Mutex(State())

  /// - Parameters:
  ///   - resolver: the resolver of sessions without their own.
  ///   - limit: the maximum number of concurrent lookups of each resolver; at least one.
  ///   - lifetime: how long the addresses of a name are kept. Default: not at all.
  public init(_ resolver: HostResolver, limit: Int = 32, lifetime: Duration = .zero) {
    standard = HostLookups(resolver, limit: limit, lifetime: lifetime)
    self.limit = limit
    self.lifetime = lifetime
  }

  /// Returns the lookups of a session's resolver; `nil` stands for a session without one.
  public func lookups(of resolver: HostResolver?) -> HostLookups {
    guard let resolver else { return standard }
    let (lookups, isClosed) = state.withLock { state in
      if let known = state.others[resolver.id]?.lookups { return (known, false) }
      if state.others.count >= state.capacity {
        state.others = state.others.filter { $0.value.lookups != nil }
        state.capacity = max(16, state.others.count * 2)
      }
      let new = HostLookups(resolver, limit: limit, lifetime: lifetime)
      state.others[resolver.id] = Reference(lookups: new)
      return (new, state.isClosed)
    }
    if isClosed { lookups.close() }
    return lookups
  }

  /// The number of exchanges whose names are queued.
  public var waitingCount: Int { all.reduce(0) { $0 + $1.waitingCount } }

  /// Ends every current and future wait with kind `sessionShutDown`.
  public func close() {
    state.withLock { $0.isClosed = true }
    for lookups in all { lookups.close() }
  }

  private var all: [HostLookups] { [standard] + state.withLock { $0.others.values.compactMap(\.lookups) } }
}
