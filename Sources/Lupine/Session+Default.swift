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
  public static var `default`: Session { DefaultSession.shared.session() }

  /// A new session with `standardDefaults()`, which shares no connection with other sessions.
  public static var ephemeral: Session { DefaultSession.make() }

  /// Makes this session the default one.
  ///
  /// - Throws: `LupineError` of kind `configuration` if the default session has been used or replaced already.
  public func useAsDefault() throws(LupineError) {
    try DefaultSession.shared.replace(with: self)
  }
}

/// Holds the default session.
final class DefaultSession: Sendable {
  static let shared = DefaultSession()

  private let current = Mutex<Session?>(nil)

  func session() -> Session {
    if let session = current.withLock({ $0 }) { return session }
    // Made outside the lock; if several tasks make one, the first is kept.
    let (made, lasts) = Self.makeShared()
    guard lasts else { return made }
    return current.withLock { current in
      if let current { return current }
      current = made
      return made
    }
  }

  /// Makes a session without the values of the current task, because all tasks share the session.
  ///
  /// `lasts` is false for a session that fails only because the process lacks something at this moment.
  private static func makeShared() -> (session: Session, lasts: Bool) {
    SessionEnvironment.$current.withValue(nil) {
      ExecutorPreference.$current.withValue(nil) {
        TransportOverride.$wrap.withValue(nil) { attempt() }
      }
    }
  }

  func replace(with session: Session) throws(LupineError) {
    let isReplaced = current.withLock { current in
      guard current == nil else { return false }
      current = session
      return true
    }
    guard isReplaced else {
      let reason = "it has been used or replaced already; replace it before the first request"
      throw LupineError(
        .configuration([ConfigurationIssue(part: "Session.default", reason: reason)]),
        "The default session cannot be replaced: \(reason).")
    }
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
