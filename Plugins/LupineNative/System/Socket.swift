import CSockets
import LupineCore
import LupineEventLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Where a socket connects to.
enum SocketTarget {
  case internet(IPAddress, port: Int)
  /// The path of a Unix-domain socket.
  case path(String)

  /// The address as metrics and events show it.
  var text: String {
    switch self {
    case .internet(let address, let port): address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    case .path(let path): "unix:\(path)"
    }
  }
}

/// Owns the socket of a connection, which never blocks; the last reference to its owner closes it.
struct Socket: ~Copyable {
  let descriptor: Int32

  /// Creates a socket for a target, without a connection.
  init(for target: SocketTarget) throws(SystemError) {
    let family =
      switch target {
      case .internet(let address, _): address.family == .ipv6 ? AF_INET6 : AF_INET
      case .path: AF_UNIX
      }
    descriptor = lupine_socket_open(family)
    guard descriptor >= 0 else { throw SystemError.last }
    if case .internet = target { lupine_socket_send_at_once(descriptor) }
  }

  deinit { close(descriptor) }

  /// Makes the connection come from a local address.
  func bind(to address: IPAddress) throws(SystemError) {
    let code = lupine_socket_bind(descriptor, address.bytes, Int32(address.bytes.count))
    if code != 0 { throw SystemError(code: code) }
  }

  /// Begins to connect; the socket is writable when it is connected or has failed.
  func connect(to target: SocketTarget) throws(SystemError) {
    let code =
      switch target {
      case .internet(let address, let port):
        lupine_socket_connect(
          descriptor, address.bytes, Int32(address.bytes.count), address.zone, UInt16(clamping: port))
      case .path(let path): lupine_socket_connect_path(descriptor, path, path.utf8.count)
      }
    if code != 0, code != EINPROGRESS { throw SystemError(code: code) }
  }

  /// Whether the socket is connected; false while it connects.
  func isConnected() throws(SystemError) -> Bool {
    let code = lupine_socket_state(descriptor)
    if code == EINPROGRESS { return false }
    guard code == 0 else { throw SystemError(code: code) }
    return true
  }

  /// Makes the kernel send keep-alive probes after this many idle seconds.
  func probe(after seconds: Int) { lupine_socket_probe(descriptor, Int32(clamping: max(1, seconds))) }

  /// Whether there is nothing to read: neither bytes nor the end of the connection.
  var isQuiet: Bool { lupine_socket_is_quiet(descriptor) != 0 }
}

/// The result of a call that moves bytes.
enum SocketResult {
  /// The number of bytes, at least one.
  case bytes(Int)
  /// Nothing can be moved now; the poller reports when that changes.
  case wouldBlock
  /// The received bytes contain nothing for the caller. More may have arrived, which no event reports.
  case overhead
  /// The peer has ended its direction.
  case end
  case failure(SystemError)
}

extension Socket {
  /// Sends bytes, at least one.
  func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
    while true {
      let count = lupine_socket_send(descriptor, bytes.baseAddress, bytes.count)
      if count > 0 { return .bytes(count) }
      if count < 0, errno == EINTR { continue }
      return count < 0 ? Self.failure(errno) : .wouldBlock
    }
  }

  /// Receives bytes into the front of a buffer.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
    while true {
      let count = lupine_socket_receive(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if errno != EINTR { return Self.failure(errno) }
    }
  }

  private static func failure(_ code: Int32) -> SocketResult {
    code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failure(SystemError(code: code))
  }
}
