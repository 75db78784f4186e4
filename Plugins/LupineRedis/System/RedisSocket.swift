import LupineFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns a stream socket; one thread at a time uses it and blocks, and any thread may interrupt it.
///
/// The socket itself does not block: the thread waits with `poll` for the socket and for the interruption.
final class RedisSocket: Sendable {
  /// Why a call ended.
  enum Failure: Error, Equatable {
    /// `interrupt()` was called.
    case interrupted
    /// The server closed the connection.
    case closed
    /// A system call failed with this `errno`.
    case system(Int32)
  }

  private let descriptor: Int32
  private let waiting: Int32
  private let signalling: Int32

  /// Creates a socket without a connection.
  init(_ family: SocketName.Family) throws(Failure) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system(errno) }
    let descriptor = socket(family.number, kind, 0)
    guard descriptor >= 0 else {
      let code = errno
      for end in ends { _ = close(end) }
      throw .system(code)
    }
    (self.descriptor, waiting, signalling) = (descriptor, ends[0], ends[1])
    if family != .unix { setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
  }

  deinit { for each in [descriptor, waiting, signalling] { _ = close(each) } }

  /// Ends the running call if it waits, and every later one that would wait.
  func interrupt() {
    var byte: UInt8 = 1
    _ = systemSend(signalling, &byte, 1)
  }

  /// Connects to the address and blocks until the connection is made.
  func connect(to name: SocketName) throws(Failure) {
    if name.connect(descriptor) == 0 { return }
    guard errno == EINPROGRESS else { throw .system(errno) }
    try wait(for: Int16(POLLOUT))
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw .system(errno) }
    guard code == 0 else { throw .system(code) }
  }

  /// Sends all bytes.
  func send(_ bytes: Data) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        systemSend(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent)
      }
      if count >= 0 { sent += count } else { try waitAfterError(for: Int16(POLLOUT)) }
    }
  }

  /// Waits for bytes, writes them to the start of the buffer, and returns their number.
  func receive(into buffer: inout [UInt8]) throws(Failure) -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 { return count }
      if count == 0 { throw .closed }
      try waitAfterError(for: Int16(POLLIN))
    }
  }

  /// Whether the connection is open and no unread byte has arrived.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
  }

  /// Handles the error of a call that did not complete: waits if it would have blocked.
  private func waitAfterError(for events: Int16) throws(Failure) {
    let code = errno
    if code == EINTR { return }
    if code == EPIPE || code == ECONNRESET { throw .closed }
    guard code == EAGAIN || code == EWOULDBLOCK else { throw .system(code) }
    try wait(for: events)
  }

  private func wait(for events: Int16) throws(Failure) {
    var watched = [
      pollfd(fd: descriptor, events: events, revents: 0), pollfd(fd: waiting, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&watched, nfds_t(watched.count), -1) < 0 {
      let code = errno
      if code != EINTR { throw .system(code) }
    }
    if watched[1].revents != 0 { throw .interrupted }
  }

  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

extension RedisSocket.Failure {
  /// The failure in words, for the end of a sentence.
  var text: String {
    switch self {
    case .interrupted: "it took too long"
    case .closed: "the server closed the connection"
    case .system(let code): String(cString: strerror(code))
    }
  }
}

/// Calls the system's `send`, which the method of the same name hides, without SIGPIPE.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
}
