/// Tells what the network looks like, and every change of it: the kernel, or a test's script.
public protocol NetworkPathSource: Sendable {
  /// The network as it is now; where a host's name must be resolved first, a status of `unknown`.
  ///
  /// It returns without waiting for the network.
  ///
  /// - Parameter host: a name or a literal address to which a route is asked for; `nil` for the default route.
  func currentPath(to host: String?) -> NetworkPath

  /// Calls the handler with the network as it is, as soon as that is known, and then at every change.
  ///
  /// The calls come in order and never two at once, on any thread; the handler must be quick and never block. A call
  /// that has begun when the watch is cancelled may still end after that.
  func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch
}
