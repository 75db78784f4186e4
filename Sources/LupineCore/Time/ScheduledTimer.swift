/// A moment that was marked on a clock.
public struct ScheduledTimer: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Wraps what takes the mark away.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Takes the mark away; nothing happens where it has passed.
  public func cancel() { cancellation() }
}
