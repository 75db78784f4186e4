#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns a TCP or Unix domain socket that is bound to this machine.
struct LoopbackSocket: ~Copyable, Sendable {
  /// The address that the socket is bound to.
  enum Address: Sendable {
    /// A free port of 127.0.0.1.
    case ipv4
    /// A port of `::1`; 0 means a free one.
    case ipv6(port: UInt16 = 0)
    case unix(path: String)
  }

  let descriptor: Int32
  /// The port number; 0 for a Unix domain socket.
  let port: Int
  private let path: String?

  /// Binds the socket without listening.
  init(_ address: Address) throws(SocketFailure) {
    let family = address.family
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SocketFailure("socket") }
    do throws(SocketFailure) {
      try bindSocket(descriptor, to: address)
      port = try boundPort(descriptor, family: family)
    } catch {
      _ = close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    path = if case .unix(let path) = address { path } else { nil }
  }

  deinit {
    _ = close(descriptor)
    if let path { unlink(path) }
  }

  func beginListening(backlog: Int32) throws(SocketFailure) {
    guard listen(descriptor, backlog) == 0 else { throw SocketFailure("listen") }
  }
}

/// Keeps other programs from listening at a port of `::1` while this value exists; connections to it are refused.
final class ReservedPort: Sendable {
  /// Whether another program has the port already.
  let isTaken: Bool
  /// `nil` as well on a system without IPv6.
  private let socket: LoopbackSocket?

  init(_ port: Int) {
    do throws(SocketFailure) {
      socket = try LoopbackSocket(.ipv6(port: UInt16(clamping: port)))
      isTaken = false
    } catch {
      socket = nil
      isTaken = error.code == EADDRINUSE
    }
  }
}

extension LoopbackSocket {
  /// The result of a call of `accept`.
  enum Acceptance {
    case connection(ConnectionSocket)
    /// The listening socket was shut down or closed.
    case shutDown
    /// A temporary error, such as too many open files.
    case failed
  }

  /// Waits for a connection to the listening socket with this descriptor.
  static func acceptConnection(on descriptor: Int32) -> Acceptance {
    let connection = accept(descriptor, nil, nil)
    if connection >= 0 {
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      return .connection(ConnectionSocket(descriptor: connection))
    }
    if errno == EINVAL || errno == EBADF { return .shutDown }
    sched_yield()
    return .failed
  }

  /// Shuts down the listening socket with this descriptor, which ends a blocked `accept`.
  static func shutDown(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Connections that keep the accept queue of a port full until this value is released.
final class AcceptQueueFiller: Sendable {
  private let descriptors: [Int32]

  /// Opens connections until the accept queue is full.
  ///
  /// A backlog of 0 has room for one connection. The first connect blocks until it succeeds; the others need not
  /// succeed.
  init(port: Int) throws(SocketFailure) {
    var descriptors: [Int32] = []
    for kind in [0, Int32(SOCK_NONBLOCK.rawValue), Int32(SOCK_NONBLOCK.rawValue)] {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | kind, 0)
      guard descriptor >= 0 else {
        let failure = SocketFailure("socket")
        for descriptor in descriptors { _ = close(descriptor) }
        throw failure
      }
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = in_port_t(UInt16(port)).bigEndian
      name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      _ = withSocketAddress(&name) { connect(descriptor, $0, $1) }
      descriptors.append(descriptor)
    }
    self.descriptors = descriptors
  }

  deinit {
    for descriptor in descriptors { _ = close(descriptor) }
  }
}

extension LoopbackSocket.Address {
  fileprivate var family: Int32 {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }
}

private func bindSocket(_ descriptor: Int32, to address: LoopbackSocket.Address) throws(SocketFailure) {
  let code: Int32
  switch address {
  case .ipv4:
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    code = withSocketAddress(&name) { bind(descriptor, $0, $1) }
  case .ipv6(let port):
    var name = sockaddr_in6()
    name.sin6_port = in_port_t(port).bigEndian
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_addr = in6addr_loopback
    code = withSocketAddress(&name) { bind(descriptor, $0, $1) }
  case .unix(let path):
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: name.sun_path)
    guard path.utf8.count < capacity else { throw SocketFailure("bind", code: ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    code = withSocketAddress(&name) { bind(descriptor, $0, $1) }
  }
  guard code == 0 else { throw SocketFailure("bind") }
}

private func boundPort(_ descriptor: Int32, family: Int32) throws(SocketFailure) -> Int {
  guard family != AF_UNIX else { return 0 }
  var storage = sockaddr_in6()
  var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
  let code = withSocketAddress(&storage) { name, _ in getsockname(descriptor, name, &length) }
  guard code == 0 else { throw SocketFailure("getsockname") }
  // sin6_port and sin_port have the same offset.
  return Int(UInt16(bigEndian: storage.sin6_port))
}

/// Calls the closure with a pointer to the address as a `sockaddr`, and its size.
private func withSocketAddress<Name, Answer>(
  _ name: inout Name, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Answer
) -> Answer {
  withUnsafeMutablePointer(to: &name) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Name>.size)) }
  }
}

/// The failed system call during the setup of a loopback socket or its threads, and its error.
public struct SocketFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the call, such as `bind`.
  public let call: String
  /// The value of `errno`.
  public let code: Int32

  init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  /// A line such as `bind: Address already in use`.
  public var description: String {
    "\(call): \(String(cString: strerror(code)))"
  }
}
