import Glibc

/// Owns a TCP or Unix domain socket that is bound to this machine.
struct LoopbackSocket: ~Copyable, Sendable {
  let descriptor: Int32
  /// The port number; 0 for a Unix domain socket.
  let port: Int
  private let path: String?

  /// Binds the socket without listening.
  init(_ address: ScriptedServer.Address) throws(SocketFailure) {
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

  func listen(backlog: Int32) throws(SocketFailure) {
    guard Glibc.listen(descriptor, backlog) == 0 else { throw SocketFailure("listen") }
  }
}

extension ScriptedServer.Address {
  fileprivate var family: Int32 {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }
}

private func bindSocket(_ descriptor: Int32, to address: ScriptedServer.Address) throws(SocketFailure) {
  let code: Int32
  switch address {
  case .ipv4:
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    code = withSocketAddress(&name) { bind(descriptor, $0, $1) }
  case .ipv6:
    var name = sockaddr_in6()
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
func withSocketAddress<Name, Answer>(
  _ name: inout Name, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Answer
) -> Answer {
  withUnsafeMutablePointer(to: &name) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Name>.size)) }
  }
}
