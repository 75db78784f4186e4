/// A watch on the network, which lasts until it is cancelled.
public struct NetworkPathWatch: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Wraps what ends the watch.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Ends the watch; the second time does nothing.
  public func cancel() { cancellation() }
}
