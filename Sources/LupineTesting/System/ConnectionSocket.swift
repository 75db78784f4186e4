#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// An accepted connection with blocking calls; one thread uses it, and any thread may interrupt it.
final class ConnectionSocket: Sendable {
  /// Only the connection's own thread closes it, so that thread may use it without the lock.
  let descriptor: Int32
  private let isClosed = Mutex(false)

  init(descriptor: Int32) {
    self.descriptor = descriptor
    setOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY, 1)
  }

  deinit { close() }

  /// Sends all bytes, without SIGPIPE; throws if the connection has ended.
  func send(_ bytes: [UInt8]) throws(ConnectionEnd) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        sendBytes(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
      }
      if count >= 0 { sent += count } else if errno != EINTR { throw .gone }
    }
  }

  /// Waits for bytes and returns at most `limit` of them; empty at the end of the connection.
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

  /// Discards received bytes until the client closes the connection or the connection is interrupted.
  func discardUntilEnd() {
    while let bytes = try? receive(upTo: 65_536), !bytes.isEmpty {}
  }

  /// Whether unread bytes have arrived.
  var hasUnreadBytes: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
  }

  /// Shuts down the sending side.
  func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends every blocked and later call on the connection, from any thread.
  func interrupt() {
    isClosed.withLock { isClosed in
      if !isClosed { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Sends a TCP reset after all sent bytes have reached the client.
  ///
  /// A reset discards the bytes that the kernel has not transmitted yet. With `TCP_NOTSENT_LOWAT` of 1, the socket is
  /// writable only after all bytes have been transmitted; on loopback they have then arrived.
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
      if !isClosed { closeDescriptor(descriptor) }
      isClosed = true
    }
  }

  private func setOption(level: Int32, name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// Calls the system's `send`, which the method of the same name hides.
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
}

/// Calls the system's `close`, which the method of the same name hides.
private func closeDescriptor(_ descriptor: Int32) {
  _ = close(descriptor)
}

/// The reason for the end of a connection before the end of its script.
enum ConnectionEnd: Error {
  /// The client closed the connection, the connection broke, or the server stopped.
  case gone
  /// The client sent bytes that are not an HTTP/1.1 request.
  case malformed(String)
  /// The client closed the connection within a request.
  case incomplete
}
