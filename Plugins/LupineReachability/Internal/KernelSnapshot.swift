import CNetlink
import Glibc
import LupineCore
import LupineSupport
import Synchronization

/// Reads the kernel's tables once, without a watch.
enum KernelSnapshot {
  /// The timeout for an answer of the kernel, which normally comes immediately.
  private static let patience = timeval(tv_sec: 1, tv_usec: 0)
  private static let host: UInt64 = 1

  /// Returns the current network; with an address, the status is that of the route to it.
  static func take(_ namespace: NetworkNamespace?, to address: IPAddress?) -> NetworkPath {
    guard let namespace else { return take(to: address) }
    // A thread of its own enters the namespace, because the current thread belongs to the caller.
    let found = Box()
    do throws(SystemThread.Failure) {
      let thread = try SystemThread("lupine-netlink") {
        do throws(NetlinkFailure) {
          try namespace.enter()
          found.path.withLock { $0 = take(to: address) }
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

  private static func take(to address: IPAddress?) -> NetworkPath {
    do throws(NetlinkFailure) {
      let socket = try NetlinkSocket(isSubscribed: false)
      var patience = patience
      setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
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
      case .none: throw NetlinkFailure("the kernel does not answer", code: ETIMEDOUT)
      case .failed(let failure): throw failure
      }
    }
  }
}
