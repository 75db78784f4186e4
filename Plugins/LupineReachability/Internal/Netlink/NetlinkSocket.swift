import CNetlink
import Glibc

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
