import LupineCore

/// The network as reported by the kernel (rtnetlink) at every change.
///
/// All watches in the process share one socket and one thread, which sleeps until a message arrives. The end of the
/// last watch closes the socket. No privileges are required. A change without a kernel notification, such as a new
/// `/etc/resolv.conf`, is seen at the next notified change.
///
/// A default route of any routing table counts, unless it rejects packets, its link has no carrier, or no interface has
/// an address of its family with a scope wider than the link.
public struct KernelPath: NetworkPathSource {
  private let namespace: NetworkNamespace?
  private let resolver: HostResolver
  private let monitors: KernelMonitors

  /// The network of this process.
  public init() { self.init(namespace: nil) }

  /// The network of a namespace, for tests; its sockets are opened by threads that have entered the namespace.
  init(namespace: NetworkNamespace?) { self.init(namespace: namespace, resolver: .system) }

  init(namespace: NetworkNamespace?, resolver: HostResolver, monitors: KernelMonitors = .shared) {
    self.namespace = namespace
    self.resolver = resolver
    self.monitors = monitors
  }

  /// Returns the current network.
  ///
  /// For a host name, whose addresses are not known yet, the status is `unknown`.
  public func currentPath(to host: String?) -> NetworkPath {
    guard let host else { return monitors.path(namespace) ?? KernelSnapshot.take(namespace, to: nil) }
    if let address = IPAddress(host) { return KernelSnapshot.take(namespace, to: address) }
    var path = currentPath(to: nil)
    path.status = .unknown(.notDetermined)
    return path
  }

  /// Calls the handler with the current network and then at every change, on the thread that reads the socket.
  ///
  /// For a host, the kernel looks up the route to each of its addresses at every change of a link, an address or a
  /// route. A name is resolved at the start and at every change, on a separate thread.
  public func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    monitors.watch(namespace, KernelMonitor.Watcher(host: host, resolver: resolver, onChange: onChange))
  }

  /// The number of open sockets for this network.
  var socketCount: Int { monitors.socketCount(namespace) }

  /// Waits until the last socket for this network is closed.
  public func waitForEnd() async { await monitors.waitForEnd(namespace) }
}

extension NetworkPathSource where Self == KernelPath {
  /// The network as reported by the kernel.
  public static var kernel: KernelPath { KernelPath() }
}
