public import LupineCore
public import LupineSession
import Synchronization

#if Standard
  import LupineAuthentication
  import LupineCompression
#endif

extension Session {
  /// The session of `Lupine.request`: a builder with `standardDefaults()`.
  ///
  /// The session is created on first use. Before that, `useAsDefault()` can replace it once. If it cannot be built, every
  /// request of it fails with kind `configuration`.
  ///
  /// Within `TransportOverride.wrapping(_:operation:)` it is another session, which belongs to the override. If
  /// `useAsDefault()` has replaced the default session outside the override, its transport cannot be wrapped, and every
  /// request within the override fails with kind `configuration`.
  public static var `default`: Session { DefaultSession.current() }

  /// A new session with `standardDefaults()`, which shares no connection with other sessions.
  public static var ephemeral: Session { DefaultSession.make() }

  /// Makes this session the default one; within `TransportOverride.wrapping(_:operation:)`, that of the override.
  ///
  /// - Throws: `LupineError` of kind `configuration` if the default session has been used or replaced already.
  public func useAsDefault() throws(LupineError) {
    if let scope = TransportOverride.scope {
      let kept = scope.keep(self) as? Session
      guard kept === self else { throw DefaultSession.inUse }
    } else {
      try DefaultSession.shared.replace(with: self)
    }
  }
}

/// Holds the default session.
final class DefaultSession: Sendable {
  static let shared = DefaultSession()

  private let state = Mutex(State())

  private struct State {
    var session: Session?
    /// Whether the program has replaced the session.
    var isReplaced = false
  }

  /// The default session of the current task: that of the override in force, or the shared one.
  static func current(_ shared: DefaultSession = .shared) -> Session {
    guard let scope = TransportOverride.scope else { return shared.session() }
    if let session = scope.value as? Session { return session }
    let session = shared.state.withLock { $0.isReplaced } ? Session.failing(with: cannotWrap) : make()
    return scope.keep(session) as? Session ?? session
  }

  func session() -> Session {
    if let session = state.withLock({ $0.session }) { return session }
    // Made outside the lock; if several tasks make one, the first is kept.
    let (made, lasts) = Self.makeShared()
    guard lasts else { return made }
    return state.withLock { state in
      if let session = state.session { return session }
      state.session = made
      return made
    }
  }

  /// Makes a session without the values of the current task, because all tasks share the session.
  ///
  /// `lasts` is false for a session that fails only because the process lacks something at this moment.
  private static func makeShared() -> (session: Session, lasts: Bool) {
    SessionEnvironment.$current.withValue(nil) {
      ExecutorPreference.$current.withValue(nil) {
        TransportOverride.$scope.withValue(nil) { attempt() }
      }
    }
  }

  func replace(with session: Session) throws(LupineError) {
    let isReplaced = state.withLock { state in
      guard state.session == nil else { return false }
      state = State(session: session, isReplaced: true)
      return true
    }
    guard isReplaced else { throw Self.inUse }
  }

  /// The error of a default session that is replaced too late.
  static var inUse: LupineError {
    unusable(
      "The default session cannot be replaced",
      "it has been used or replaced already; replace it before the first request")
  }

  /// The error of the requests of a default session that the program made outside the override in force.
  private static var cannotWrap: LupineError {
    unusable(
      "The default session cannot be used within this TransportOverride",
      "useAsDefault() replaced it outside; call useAsDefault() within the override, or build a session there")
  }

  private static func unusable(_ problem: String, _ reason: String) -> LupineError {
    LupineError(
      .configuration([ConfigurationIssue(part: "Session.default", reason: reason)]), "\(problem): \(reason).")
  }

  static func make() -> Session { attempt().session }

  private static func attempt() -> (session: Session, lasts: Bool) {
    do throws(LupineError) {
      return (try Session.Builder().standardDefaults().build(), true)
    } catch {
      let isConfiguration = if case .configuration = error.kind { true } else { false }
      return (Session.failing(with: error), isConfiguration)
    }
  }
}

extension Session.Builder {
  /// Adds the parts of the default session: the native transport, the content codings and Digest.
  ///
  /// The native transport uses HTTP/2 over TLS if the server selects it (ALPN). The trait `Standard` brings all parts,
  /// the trait `Native` alone brings the transport. The environment variable `LUPINE_TRANSPORT` selects `native` (the
  /// default) or, with the trait `Standard`, `curl`. With any other value `build()` throws.
  ///
  /// Earlier settings stay: a transport, such as a mock, and a coding or a scheme of the same name. Later settings
  /// replace these.
  public func standardDefaults() -> Self {
    var builder = hasTransport ? self : DefaultTransport.set(in: self)
    #if Standard
      builder = builder.installDefault(.compression)
      builder = builder.installDefault(.authentication)
    #endif
    return builder
  }
}
