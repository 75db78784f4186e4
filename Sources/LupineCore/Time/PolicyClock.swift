import Synchronization

/// The clock of a policy that several sessions may share: the one it was given, or else that of the session that uses it
/// first.
public final class PolicyClock: Sendable {
  private let clock: Mutex<SessionClock?>

  /// Makes the clock of a policy; `nil` means that of the first session that uses the policy.
  public init(_ clock: (any Clock<Duration>)? = nil) { self.clock = Mutex(clock.map { SessionClock($0) }) }

  /// The policy's clock, where a session with this one uses it.
  public func clock(or session: any Clock<Duration>) -> SessionClock {
    clock.withLock { clock in
      if let clock { return clock }
      let made = SessionClock(session)
      clock = made
      return made
    }
  }
}
