public import FoundationEssentials

/// What surrounds the code that makes a session: where its builder is told nothing, these take the system's place.
///
/// A simulation sets it for its body, so that a program's own code runs in virtual time without being changed.
public struct SessionEnvironment: Sendable {
  package let clock: any Clock<Duration>
  package let now: @Sendable () -> Date
  package let random: @Sendable () -> UInt64
  /// Called with each session that is built: with a closure that describes the session's running requests, and returns
  /// nothing once the session is gone.
  package let onBuild: @Sendable (_ runningRequests: @escaping @Sendable () -> [RequestSummary]) -> Void

  /// Joins the parts.
  public init(
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> UInt64,
    onBuild: @escaping @Sendable (_ runningRequests: @escaping @Sendable () -> [RequestSummary]) -> Void
  ) {
    self.clock = clock
    self.now = now
    self.random = random
    self.onBuild = onBuild
  }

  /// The environment of the running task, which `Session.Builder` reads.
  @TaskLocal public static var current: SessionEnvironment?
}

/// Where unstructured tasks run that are made on a request's behalf.
///
/// Such a task does not inherit its maker's executor preference, but it does inherit task-local values.
public enum ExecutorPreference {
  /// The executor that the running task prefers.
  @TaskLocal public static var current: (any TaskExecutor)?
}
