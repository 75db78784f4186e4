public import LupineCore

/// Bounds the time of each attempt, from its adapters to the last byte of its response; the session's retriers decide
/// what follows.
///
/// The same as the `attempt` of `Session.Builder.timeouts`, which comes before it where the program names one, as do a
/// request's own timeouts, in its options; the other timeouts stay as they are.
public struct AttemptTimeout: Plugin {
  /// The longest time of an attempt, on the session's clock.
  public var duration: Duration

  /// Sets the bound.
  ///
  /// Default: 10 seconds.
  public init(_ duration: Duration = .seconds(10)) { self.duration = duration }

  /// Sets the session's bound.
  public func install(in builder: inout Session.Builder) {
    builder = builder.boundingTimes(attempt: duration)
  }
}

extension Plugin where Self == AttemptTimeout {
  /// Bounds the time of each attempt; see `AttemptTimeout`.
  public static func attemptTimeout(_ duration: Duration) -> AttemptTimeout { AttemptTimeout(duration) }
}
