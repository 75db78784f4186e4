public import LupineCore

/// Bounds the time of each request, its retries and the waits between them included.
///
/// The same as the `total` of `Session.Builder.timeouts`, which comes before it where the program names one; the other
/// timeouts stay as they are.
public struct TotalTimeout: Plugin {
  /// The longest time of a request, on the session's clock.
  public var duration: Duration

  /// Sets the bound.
  ///
  /// Default: 30 seconds.
  public init(_ duration: Duration = .seconds(30)) { self.duration = duration }

  /// Sets the session's bound.
  public func install(in builder: inout Session.Builder) {
    builder = builder.boundingTimes(total: duration)
  }
}

extension Plugin where Self == TotalTimeout {
  /// Bounds the time of each request; see `TotalTimeout`.
  public static func totalTimeout(_ duration: Duration) -> TotalTimeout { TotalTimeout(duration) }
}
