import Glibc

/// Listens at an address of this machine, and accepts no connection: the kernel completes the handshake.
final class Listener {
  struct Failure: Error { let code: Int32 }

  private let descriptor: Int32

  init(_ host: String, port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    let isBound = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0 }
    }
    guard isBound, listen(descriptor, 1) == 0 else { throw Failure(code: errno) }
  }

  deinit { close(descriptor) }
}
