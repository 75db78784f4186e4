import LupineCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// One address that a socket can connect to.
enum SocketName: Sendable {
  case ip(IPAddress, port: UInt16)
  case unix(path: String)

  enum Family: Sendable {
    case ipv4, ipv6, unix

    var number: Int32 {
      switch self {
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      case .unix: AF_UNIX
      }
    }
  }

  var family: Family {
    switch self {
    case .ip(let address, _): address.family == .ipv4 ? .ipv4 : .ipv6
    case .unix: .unix
    }
  }

  /// Calls the system's `connect` and returns its result.
  func connect(_ descriptor: Int32) -> Int32 {
    switch self {
    case .ip(let address, let port) where address.family == .ipv4:
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = in_port_t(port).bigEndian
      withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address.bytes) }
      return systemConnect(descriptor, &name)
    case .ip(let address, let port):
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = in_port_t(port).bigEndian
      withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: address.bytes) }
      return systemConnect(descriptor, &name)
    case .unix(let path):
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      // The rest of the field stays zero; the server's description limits the length of the path.
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
      return systemConnect(descriptor, &name)
    }
  }
}

private func systemConnect<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
  withUnsafeMutablePointer(to: &name) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
    }
  }
}
