#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Brings IPv6 addresses into one spelling.
enum IPv6Text {
  /// The address in canonical form (RFC 5952), or `nil` when the text is none.
  static func canonical(_ text: String) -> String? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    let capacity = Int(INET6_ADDRSTRLEN)
    let canonical = String(unsafeUninitializedCapacity: capacity) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress, inet_ntop(AF_INET6, &address, start, socklen_t(capacity)) != nil
        else { return 0 }
        return strlen(start)
      }
    }
    return canonical.isEmpty ? nil : canonical
  }
}
