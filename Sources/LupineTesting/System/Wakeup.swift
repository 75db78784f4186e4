#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wakes one blocked thread through a file descriptor, so that the thread can wait for its socket at the same time.
final class Wakeup: Sendable {
  private let descriptor: Int32
  private let signalling: Int32

  init() throws(SocketFailure) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SocketFailure("socketpair") }
    descriptor = ends[0]
    signalling = ends[1]
  }

  deinit {
    _ = close(descriptor)
    _ = close(signalling)
  }

  func signal() {
    var byte: UInt8 = 1
    _ = send(signalling, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Blocks until a signal, or until the socket's peer has closed or the socket was shut down.
  ///
  /// - Returns: whether there was a signal.
  func block(hangup socket: Int32?) -> Bool {
    var watched = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let socket { watched.append(pollfd(fd: socket, events: peerHasClosed, revents: 0)) }
    while poll(&watched, nfds_t(watched.count), -1) < 0, errno == EINTR {}
    return watched[0].revents != 0
  }
}

/// `POLLRDHUP`, which Swift does not import.
private let peerHasClosed: Int16 = 0x2000
