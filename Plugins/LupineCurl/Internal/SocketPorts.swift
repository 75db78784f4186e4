import CLibcurl
import Glibc

/// The two ports of a connection, by which an exchange is matched with its descriptor.
struct SocketPorts: Equatable {
  let local: Int32
  let remote: Int32

  init(local: Int32, remote: Int32) {
    self.local = local
    self.remote = remote
  }

  /// A Unix-domain socket has no ports; its descriptor stands for them, which no other connection has meanwhile.
  init(unixSocket descriptor: Int32) {
    local = -1
    remote = descriptor
  }

  init(_ descriptor: Int32) {
    if Self.isUnixSocket(descriptor) {
      self.init(unixSocket: descriptor)
      return
    }
    self.init(local: Self.port(descriptor, getsockname), remote: Self.port(descriptor, getpeername))
  }

  private static func isUnixSocket(_ descriptor: Int32) -> Bool {
    var domain: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX
  }

  private typealias Question = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

  /// The port stands at the same place for both versions of IP.
  private static func port(_ descriptor: Int32, _ ask: Question) -> Int32 {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) } == 0
        ? address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int32(UInt16(bigEndian: $0.pointee.sin_port)) }
        : -1
    }
  }
}
