import CNetlink
import LupineCore
import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns a netlink socket for routing messages.
struct NetlinkSocket: ~Copyable {
  enum Arrival {
    /// A datagram from the kernel, with its length in bytes.
    case datagram(Int)
    /// No datagram is available.
    case none
    /// Messages were lost.
    case overrun
    /// The socket cannot be used any more.
    case failed(NetlinkFailure)
  }

  let descriptor: Int32
  /// The socket's port ID.
  let port: UInt32

  /// Opens the socket; a subscribed socket receives notifications of changes.
  init(isSubscribed: Bool) throws(NetlinkFailure) {
    let descriptor = lupine_netlink_open()
    guard descriptor >= 0 else { throw NetlinkFailure("the socket cannot be opened") }
    let groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE
    guard lupine_netlink_bind(descriptor, isSubscribed ? UInt32(groups) : 0) == 0,
      case let port = lupine_netlink_port(descriptor), port != 0
    else {
      let failure = NetlinkFailure("the socket cannot be bound")
      close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    self.port = port
  }

  deinit { close(descriptor) }

  /// Sets the time after which `receive` returns `none` although it waits for a datagram.
  func setReceiveTimeout(seconds: Int) {
    var timeout = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Sends a request, which the kernel processes before the call returns.
  func send(_ request: NetlinkRequest, sequence: UInt32) -> NetlinkFailure? {
    Self.send(request.bytes(sequence: sequence), to: descriptor)
  }

  /// Wakes the thread that waits at the socket with this descriptor.
  static func wake(_ descriptor: Int32) { _ = send(NetlinkRequest.wake.bytes(sequence: 0), to: descriptor) }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) -> NetlinkFailure? {
    while lupine_netlink_send(descriptor, bytes, bytes.count) < 0 {
      guard errno == EINTR || errno == EAGAIN else { return NetlinkFailure("a request cannot be sent") }
    }
    return nil
  }

  /// Receives the next datagram into the buffer, which grows if a datagram did not fit.
  func receive(into buffer: inout [UInt8], waits: Bool) -> Arrival {
    while true {
      var sender: UInt32 = 0
      let flags = waits ? 0 : Int32(MSG_DONTWAIT)
      let length = lupine_netlink_receive(descriptor, &buffer, buffer.count, flags, &sender)
      if length > buffer.count {
        buffer = [UInt8](repeating: 0, count: min(length * 2, 1 << 22))
        return .overrun
      }
      // Datagrams from other senders, which need the right to administer the network, are ignored.
      if length >= 0 { if sender == 0 { return .datagram(length) } else { continue } }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .none
      case ENOBUFS: return .overrun
      default: return .failed(NetlinkFailure("the socket cannot be read"))
      }
    }
  }
}

/// The reason why netlink is unavailable.
struct NetlinkFailure: Error, Equatable {
  /// The errors of a request that may succeed if it is repeated.
  ///
  /// The socket's buffer is full (ENOBUFS), the kernel has no memory (ENOMEM), another dump is running (EBUSY), or the
  /// table changed too often (EINTR, EAGAIN).
  static let transientErrors: Set<Int32> = [ENOBUFS, ENOMEM, EBUSY, EINTR, EAGAIN]
  /// The error of a request whose answer did not fit into the socket's buffer.
  static let lostAnswer = ENOBUFS
  /// The error of a request that the kernel does not answer.
  static let timeout = ETIMEDOUT

  let message: String

  init(_ what: String, code: Int32 = errno) { message = "\(what): \(String(cString: strerror(code)))" }

  init(_ failure: SystemThread.Failure) { self.init("a thread cannot be started", code: failure.code) }
}

/// A network namespace by the path of its file, such as `/run/netns/name`.
struct NetworkNamespace: Sendable, Hashable {
  let path: String

  init(path: String) { self.path = path }

  /// Moves the calling thread into the namespace permanently.
  func enter() throws(NetlinkFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw NetlinkFailure("the network namespace \(path) cannot be opened") }
    defer { close(descriptor) }
    guard lupine_enter_network_namespace(descriptor) == 0 else {
      throw NetlinkFailure("the network namespace \(path) cannot be entered")
    }
  }
}
