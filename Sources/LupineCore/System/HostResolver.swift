#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Resolves a host name to addresses; may block for a long time.
public struct HostResolver: Sendable {
  /// The addresses, or the reason why there are none.
  public enum Answer: Sendable, Equatable {
    case addresses([IPAddress])
    case failure(String)
  }

  /// Blocks the calling thread until the answer is available.
  public let resolve: @Sendable (_ host: String) -> Answer

  /// Wraps a function that resolves names.
  ///
  /// It is called concurrently, on threads that may block.
  public init(resolve: @escaping @Sendable (_ host: String) -> Answer) { self.resolve = resolve }

  /// The system's resolver (`getaddrinfo`).
  public static let system = HostResolver(resolve: lookUp)

  private static func lookUp(_ host: String) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0, let list else {
      return .failure(code == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
      if let address = address(entry.pointee), !addresses.contains(address) { addresses.append(address) }
    }
    return addresses.isEmpty ? .failure("neither IPv4 nor IPv6") : .addresses(addresses)
  }

  private static func address(_ entry: addrinfo) -> IPAddress? {
    guard let socket = UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch entry.ai_family {
    case AF_INET:
      return withUnsafeBytes(of: socket.loadUnaligned(as: sockaddr_in.self).sin_addr) { IPAddress(bytes: Array($0)) }
    case AF_INET6:
      return withUnsafeBytes(of: socket.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { IPAddress(bytes: Array($0)) }
    default: return nil
    }
  }
}
