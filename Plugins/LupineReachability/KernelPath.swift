import LupineCore
import LupineSupport
import Synchronization

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
  /// Resolves a name; blocks.
  private let resolve: @Sendable (_ host: String) -> HostResolver.Answer
  private let monitors: KernelMonitors

  /// The network of this process.
  public init() { self.init(namespace: nil) }

  /// The network of a namespace, for tests; its sockets are opened by threads that have entered the namespace.
  init(namespace: NetworkNamespace?) { self.init(namespace: namespace, resolve: HostResolver.systemAnswer) }

  init(
    namespace: NetworkNamespace?, resolve: @escaping @Sendable (_ host: String) -> HostResolver.Answer,
    monitors: KernelMonitors = .shared
  ) {
    self.namespace = namespace
    self.resolve = resolve
    self.monitors = monitors
  }

  /// Returns the current network.
  ///
  /// For a host name, whose addresses are not known yet, the status is `unknown`.
  public func currentPath(to host: String?) -> NetworkPath {
    guard let host else { return monitors.path(namespace) ?? KernelSnapshot.read(namespace, to: nil) }
    if let address = IPAddress(host) { return KernelSnapshot.read(namespace, to: address) }
    var path = currentPath(to: nil)
    path.status = .unknown(.notDetermined)
    return path
  }

  /// Calls the handler with the current network and then at every change, on the thread that reads the socket.
  ///
  /// For a host, the kernel looks up the route to each of its addresses at every change of a link, an address or a
  /// route. A name is resolved at the start and at every change, on a separate thread.
  public func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    monitors.watch(namespace, KernelMonitor.Watcher(host: host, resolve: resolve, onChange: onChange))
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

/// Reads the kernel's tables once, without a watch.
enum KernelSnapshot {
  private static let host: UInt64 = 1

  /// Returns the current network; with an address, the status is that of the route to it.
  static func read(_ namespace: NetworkNamespace?, to address: IPAddress?) -> NetworkPath {
    guard let namespace else { return read(to: address) }
    // A thread of its own enters the namespace, because the current thread belongs to the caller.
    let found = Box()
    do throws(SystemThread.Failure) {
      let thread = try SystemThread("lupine-netlink") {
        do throws(NetlinkFailure) {
          try namespace.enter()
          let path = read(to: address)
          found.path.withLock { $0 = path }
        } catch {
          found.path.withLock { $0 = .unknown(.netlinkUnavailable(error.message)) }
        }
      }
      thread.join()
      return found.path.withLock { $0 }
    } catch {
      return .unknown(.netlinkUnavailable(NetlinkFailure(error).message))
    }
  }

  private final class Box: Sendable {
    let path = Mutex(NetworkPath.unknown(.notDetermined))
  }

  private static func read(to address: IPAddress?) -> NetworkPath {
    do throws(NetlinkFailure) {
      let socket = try NetlinkSocket(isSubscribed: false)
      // An answer of the kernel normally comes immediately.
      socket.setReceiveTimeout(seconds: 1)
      return try readPath(socket, to: address)
    } catch {
      return .unknown(.netlinkUnavailable(error.message))
    }
  }

  private static func readPath(_ socket: borrowing NetlinkSocket, to address: IPAddress?) throws(NetlinkFailure)
    -> NetworkPath
  {
    var view = KernelView(port: socket.port)
    if let address { view.setHost(host, [address]) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      for output in view.settle() {
        switch output {
        case .send(let request, let sequence):
          if let failure = socket.send(request, sequence: sequence) { throw failure }
        case .failed(let failure): throw failure
        case .path(let path): if address == nil { return path }
        case .hostPath(_, let path): return path
        }
      }
      switch socket.receive(into: &buffer, waits: true) {
      case .datagram(let length):
        buffer.withUnsafeBytes { view.receive(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
      case .overrun: view.overrun()
      case .none: throw NetlinkFailure("the kernel does not answer", code: NetlinkFailure.timeout)
      case .failed(let failure): throw failure
      }
    }
  }
}
