public import LupineFoundation

/// The clock, date and random source for the sessions that a task builds, unless their builder sets its own.
///
/// A simulation sets it for its body, so that a program runs in virtual time without changes. The sessions call `now`
/// and `random` from any thread, concurrently.
public struct SessionEnvironment: Sendable {
  /// The clock of the sessions.
  public let clock: any Clock<Duration>
  /// Returns the current date.
  public let now: @Sendable () -> Date
  /// Returns 64 random bits.
  public let random: @Sendable () -> UInt64
  /// Called with each session that is built, by `Session.Builder.build()` before it returns.
  ///
  /// The closure argument describes the session's running requests. It returns an empty array after the session is
  /// deallocated.
  public let onBuild: @Sendable (_ runningRequests: @escaping @Sendable () -> [RequestSummary]) -> Void

  /// Creates an environment.
  public init(
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> UInt64,
    onBuild: @escaping @Sendable (_ runningRequests: @escaping @Sendable () -> [RequestSummary]) -> Void
  ) {
    self.clock = clock
    self.now = now
    self.random = random
    self.onBuild = onBuild
  }

  /// The environment of the running task.
  ///
  /// `Session.Builder` reads it.
  @TaskLocal public static var current: SessionEnvironment?
}
