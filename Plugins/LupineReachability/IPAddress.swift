import Glibc

/// An address of IPv4 or IPv6, without a scope.
public struct IPAddress: Sendable, Hashable {
  /// The version of IP.
  public enum Family: String, Sendable, Hashable, CaseIterable {
    /// IPv4.
    case ipv4 = "IPv4"
    /// IPv6.
    case ipv6 = "IPv6"
  }

  /// The bytes in network order: 4 of them, or 16.
  public let bytes: [UInt8]

  /// The version of IP.
  public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

  /// Wraps 4 or 16 bytes in network order; `nil` for another number of them.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads an address as people write it (RFC 4291 section 2.2 for IPv6); `nil` where the text is none.
  ///
  /// Brackets and scopes such as `%eth0` are not part of it.
  public init?(_ text: String) {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.bytes = Array(bytes.prefix(4))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.bytes = bytes
    } else {
      return nil
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address as people write it; IPv6 in the form of RFC 5952.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
