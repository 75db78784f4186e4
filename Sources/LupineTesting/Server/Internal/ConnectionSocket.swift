import Glibc
import Synchronization

/// An accepted connection with blocking calls; one thread uses it, any thread may interrupt it.
final class ConnectionSocket: Sendable {
  /// Only the connection's own thread closes it, so that thread may use it without the lock.
  let descriptor: Int32
  private let isClosed = Mutex(false)

  init(descriptor: Int32) {
    self.descriptor = descriptor
    setOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY, 1)
  }

  deinit { close() }

  /// Sends everything, or throws when the connection is over; no SIGPIPE.
  func send(_ bytes: [UInt8]) throws(ConnectionEnd) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { sent += count } else if errno != EINTR { throw .gone }
    }
  }

  /// Waits for bytes and returns at most so many; none at the end of the connection.
  func receive(upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
        count = recv(descriptor, buffer.baseAddress, limit, 0)
        initialized = max(0, count)
      }
      if count >= 0 { return bytes }
      if errno != EINTR { throw .gone }
    }
  }

  /// Ignores what comes until the client closes or the connection is interrupted.
  func discardUntilEnd() {
    while let bytes = try? receive(upTo: 65_536), !bytes.isEmpty {}
  }

  /// Whether bytes have arrived that nobody has read.
  var hasUnreadBytes: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
  }

  /// Tells the client that nothing more comes.
  func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends every blocked and later call on the connection, from any thread.
  func interrupt() {
    isClosed.withLock { isClosed in
      if !isClosed { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Ends with a reset as soon as every byte sent has left for the client.
  ///
  /// A reset drops what is still queued here. With a low-water mark of 1, the socket counts as writable only when
  /// nothing is left unsent, and on loopback what was sent has arrived.
  func reset() {
    setOption(level: Int32(IPPROTO_TCP), name: TCP_NOTSENT_LOWAT, 1)
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&watched, 1, -1) < 0, errno == EINTR {}
    var lingering = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    isClosed.withLock { isClosed in
      if !isClosed { _ = Glibc.close(descriptor) }
      isClosed = true
    }
  }

  private func setOption(level: Int32, name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
