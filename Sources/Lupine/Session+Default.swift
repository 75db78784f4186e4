public import LupineCore
public import LupineSession
import Synchronization

extension Session {
  /// The session behind `Lupine.request`: libcurl, codings, Digest, and the defaults of the builder.
  ///
  /// The traits say what it has: the codings are LupineCompression's, Digest is LupineAuthentication's.
  ///
  /// It is made when it is first used. A program can put its own in its place before that, once, with `useAsDefault()`.
  public static var `default`: Session { DefaultSession.shared.session() }

  /// A new session like the default one, which shares no connection with any other.
  public static var ephemeral: Session { DefaultSession.make() }

  /// Puts this session in the place of the default one.
  ///
  /// - Throws: `LupineError` of kind `configuration` where the default session has been used or replaced already.
  public func useAsDefault() throws(LupineError) {
    try DefaultSession.shared.replace(with: self)
  }
}

/// Holds the default session, once there is one.
final class DefaultSession: Sendable {
  static let shared = DefaultSession()

  private let current = Mutex<Session?>(nil)

  func session() -> Session {
    current.withLock { current in
      if let current { return current }
      // All tasks share it, so no override of one task applies.
      let made = TransportOverride.$wrap.withValue(nil) { Self.make() }
      current = made
      return made
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

  static func make() -> Session {
    let builder = Session.Builder().standardDefaults()
    do {
      return try builder.build()
    } catch {
      return Session.failing(with: error)
    }
  }
}
