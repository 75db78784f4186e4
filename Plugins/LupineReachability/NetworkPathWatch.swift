/// A watch on the network, which lasts until it is cancelled.
public struct NetworkPathWatch: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Creates a watch from the closure that ends it.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Ends the watch; a second call does nothing.
  public func cancel() { cancellation() }
}
