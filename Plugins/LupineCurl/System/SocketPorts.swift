import CLibcurl
import CSockets
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

/// The two ports of a connection and its remote address, which match an exchange with its descriptor.
///
/// Connections to different addresses may have the same ports.
struct SocketPorts: Hashable {
  let local: Int32
  let remote: Int32
  /// The remote address; `nil` if it is not an IP address.
  let address: IPAddress?

  init(local: Int32, remote: Int32, _ address: IPAddress?) {
    self.local = local
    self.remote = remote
    self.address = address
  }

  /// Whether the value identifies one connection.
  ///
  /// False for a connection over a Unix-domain socket whose descriptor is not known.
  var identifiesConnection: Bool { remote >= 0 }

  /// Uses the descriptor in place of ports, which a Unix-domain socket does not have.
  ///
  /// No other open connection has the same descriptor.
  init(unixSocket descriptor: Int32) {
    self.init(local: -1, remote: descriptor, nil)
  }

  init(_ descriptor: Int32) {
    if Self.isUnixSocket(descriptor) {
      self.init(unixSocket: descriptor)
      return
    }
    let (port, address) = Self.endpoint(of: descriptor, getpeername)
    self.init(local: Self.endpoint(of: descriptor, getsockname).port, remote: port, address)
  }

  private static func isUnixSocket(_ descriptor: Int32) -> Bool {
    var domain: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX
  }

  private typealias AddressFunction = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

  private static func endpoint(of descriptor: Int32, _ read: AddressFunction) -> (port: Int32, address: IPAddress?) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      let isRead = bytes.withMemoryRebound(to: sockaddr.self) { buffer in
        buffer.baseAddress.map { read(descriptor, $0, &length) == 0 } == true
      }
      guard isRead else { return (-1, nil) }
      // The port has the same offset for IPv4 and IPv6.
      let port = Int32(bytes[2]) << 8 | Int32(bytes[3])
      let isIPv6 = bytes.load(as: sa_family_t.self) == sa_family_t(AF_INET6)
      return (port, IPAddress(bytes: Array(isIPv6 ? bytes[8..<24] : bytes[4..<8])))
    }
  }
}

extension IPAddress {
  /// Reads the address that libcurl is about to connect to; nil if it is not an IP address.
  ///
  /// An IPv6 address extends beyond the declared structure, so the structure must not be copied.
  init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
    var count: Int32 = 0
    guard let bytes = lupine_address_bytes(address, &count) else { return nil }
    self.init(bytes: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
  }
}
