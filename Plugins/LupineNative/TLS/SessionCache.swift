import DequeModule
import LupineCore
import LupineTLS

/// The TLS sessions that later connections may resume.
///
/// A resumed session skips the verification. So one is kept only for connections that no evaluator judges, and only for
/// the same origin and connection key.
struct SessionCache {
  /// The properties that two connections must share to resume each other's sessions.
  struct Identity: Hashable {
    private let origin: HTTPURL.Origin
    private let connectionKey: ConnectionKey

    /// Returns `nil` if each connection must be verified.
    init?(_ route: Route, _ context: TransferContext) {
      guard route.connectionKey.trustPolicy == nil, context.evaluator == nil else { return nil }
      origin = route.origin
      connectionKey = route.connectionKey
    }
  }

  private static let capacity = 256
  private static let maximumPerIdentity = 4

  private var sessions: [Identity: [TLSSession]] = [:]
  /// The identities in the order in which their first sessions arrived.
  private var order: Deque<Identity> = []

  /// Returns the newest session, and removes it if only one connection may use it.
  mutating func take(for identity: Identity) -> TLSSession? {
    guard let last = sessions[identity]?.last else { return nil }
    if last.isForOneUse { sessions[identity]?.removeLast() }
    return last
  }

  /// Keeps a session instead of the oldest one.
  mutating func keep(_ session: TLSSession, for identity: Identity) {
    if sessions[identity] == nil {
      if order.count == Self.capacity { sessions[order.removeFirst()] = nil }
      order.append(identity)
    }
    sessions[identity, default: []].append(session)
    if sessions[identity, default: []].count > Self.maximumPerIdentity { sessions[identity]?.removeFirst() }
  }
}
