/// Supplies the state of the network and its changes, from the kernel or from a test's script.
public protocol NetworkPathSource: Sendable {
  /// Returns the current network without waiting; the status is `unknown` if a host name must be resolved first.
  ///
  /// - Parameter host: a name or a literal address, whose route determines the status; `nil` for the default route.
  func currentPath(to host: String?) -> NetworkPath

  /// Calls the handler with the current network as soon as it is known, and then at every change.
  ///
  /// The calls arrive in order and do not overlap; they may come from any thread. The handler must be quick and must
  /// not block. A call that has begun before the watch is cancelled may end after the cancellation.
  func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch
}
