#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

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

extension IPAddress {
  /// The IPv4 address that an IPv4-mapped one of IPv6 holds (RFC 4291 section 2.5.5.2); any other address as it is.
  ///
  /// A connection to either goes to the same machine.
  public var unmapped: IPAddress { embedded(behind: Self.mapped) ?? self }

  /// The IPv4 address that a translator makes of one behind `64:ff9b::/96` (RFC 6052); `nil` for any other.
  var translated: IPAddress? { embedded(behind: Self.translation) }

  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
  private static let translation: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

  private func embedded(behind prefix: [UInt8]) -> IPAddress? {
    guard bytes.count == 16, bytes.starts(with: prefix) else { return nil }
    return IPAddress(bytes: Array(bytes.suffix(4)))
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
