import LupineEventLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension WakeUp {
  /// Blocks the thread until a signal, or until the socket's peer has closed or the socket was shut down.
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
