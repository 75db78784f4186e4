/// An IPv4 or IPv6 address without a scope.
public struct IPAddress: Sendable, Hashable {
  /// The version of IP.
  public enum Family: String, Sendable, Hashable, CaseIterable {
    /// IPv4.
    case ipv4 = "IPv4"
    /// IPv6.
    case ipv6 = "IPv6"
  }

  /// The bytes in network order: 4 or 16.
  public let bytes: [UInt8]

  /// The version of IP.
  public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

  /// Wraps 4 or 16 bytes in network order; returns `nil` for another count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }
}

extension IPAddress {
  /// The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2); any other address unchanged.
  ///
  /// A connection to either address reaches the same machine.
  public var unmapped: IPAddress { embedded(behind: Self.mapped) ?? self }

  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  private func embedded(behind prefix: [UInt8]) -> IPAddress? {
    guard bytes.count == 16, bytes.starts(with: prefix) else { return nil }
    return IPAddress(bytes: Array(bytes.suffix(4)))
  }
}

extension IPAddress {
  /// The IPv4 address to which a translator or a tunnel forwards packets for an IPv6 address; `nil` for any other.
  ///
  /// A prefix that a network chose for its own translator or tunnel (RFC 6052 section 2.2, RFC 5969) is not recognised.
  var forwarded: IPAddress? {
    guard bytes.count == 16 else { return nil }
    let forms = [
      // NAT64 (RFC 6052), with its prefix for local use (RFC 8215); IPv4-translated (RFC 2765).
      embedded(behind: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]),
      embedded(behind: [0x00, 0x64, 0xFF, 0x9B, 0, 1]),
      embedded(behind: [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0]),
      compatible, sixToFour, teredo, isatap,
    ]
    return forms.lazy.compactMap(\.self).first
  }

  /// IPv4-compatible (RFC 4291 section 2.5.5.1), without `::` and `::1`.
  private var compatible: IPAddress? {
    bytes[12] == 0 ? nil : embedded(behind: [UInt8](repeating: 0, count: 12))
  }

  /// 6to4 (RFC 3056).
  private var sixToFour: IPAddress? {
    bytes.starts(with: [0x20, 0x02]) ? IPAddress(bytes: Array(bytes[2..<6])) : nil
  }

  /// Teredo, which contains the client's address with all bits inverted (RFC 4380 section 4).
  private var teredo: IPAddress? {
    bytes.starts(with: [0x20, 0x01, 0, 0]) ? IPAddress(bytes: bytes.suffix(4).map { ~$0 }) : nil
  }

  /// ISATAP (RFC 5214 section 6.1), after any prefix.
  private var isatap: IPAddress? {
    guard bytes[8] & 0xFD == 0, bytes[9..<12].elementsEqual([0, 0x5E, 0xFE]) else { return nil }
    return IPAddress(bytes: Array(bytes.suffix(4)))
  }
}
