import LupineCore

/// The network as the kernel tells it (rtnetlink), the moment it changes.
///
/// Every watch in the process shares one socket and one thread that sleeps at it; the last one that ends closes it. No
/// right is needed. What the kernel keeps no notice of, such as a new `/etc/resolv.conf` alone, is seen at the next
/// change.
///
/// A default route in any routing table counts, except where it refuses, its link has no signal, or no interface has an
/// address of its family that is good beyond the link.
public struct KernelPath: NetworkPathSource {
  private let namespace: NetworkNamespace?
  private let resolver: HostResolver
  private let monitors: KernelMonitors

  /// The network of this process.
  public init() { self.init(namespace: nil) }

  /// The network of a namespace, for tests: its sockets are opened by threads that have entered it.
  init(namespace: NetworkNamespace?) { self.init(namespace: namespace, resolver: .system) }

  init(namespace: NetworkNamespace?, resolver: HostResolver, monitors: KernelMonitors = .shared) {
    self.namespace = namespace
    self.resolver = resolver
    self.monitors = monitors
  }

  /// The network as it is now, in less than a millisecond as a rule; for a host's name, whose addresses are not known
  /// yet, with a status of `unknown`.
  public func currentPath(to host: String?) -> NetworkPath {
    guard let host else { return monitors.path(namespace) ?? KernelSnapshot.take(namespace, to: nil) }
    if let address = IPAddress(host) { return KernelSnapshot.take(namespace, to: address) }
    var path = currentPath(to: nil)
    path.status = .unknown(.notDetermined)
    return path
  }

  /// Calls the handler, on the thread that reads the socket, with the network as it is and then at every change.
  ///
  /// For a host, at every change of a link, an address or a route the kernel is asked for the way to each of its
  /// addresses. A name is resolved at the start and at every change, on a thread of its own.
  public func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    monitors.watch(namespace, KernelMonitor.Watcher(host: host, resolver: resolver, onChange: onChange))
  }

  /// How many sockets are open for this network.
  var socketCount: Int { monitors.socketCount(namespace) }

  /// Waits until the last socket for this network is closed.
  public func waitForEnd() async { await monitors.waitForEnd(namespace) }
}

extension NetworkPathSource where Self == KernelPath {
  /// The network as the kernel tells it.
  public static var kernel: KernelPath { KernelPath() }
}
