import LupineSupport

/// An IPv4 or IPv6 address; a link-local one may have a zone.
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

  /// The interface that a link-local IPv6 address belongs to, such as `eth0` (RFC 4007); `nil` without one.
  public private(set) var zone: String?

  /// The version of IP.
  public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

  /// Wraps 4 or 16 bytes in network order; returns `nil` for another count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }
}

extension IPAddress {
  /// Parses the host of a URL in the form of `HTTPURL.host`; `nil` if it is a name.
  ///
  /// Unlike `init(_:)` it accepts the zone of a link-local IPv6 address, as in `fe80::1%eth0`.
  public init?(host: String) {
    guard let percent = host.utf8.firstIndex(of: .percent) else {
      self.init(host)
      return
    }
    self.init(String(host[..<percent]), zone: host[host.utf8.index(after: percent)...])
  }

  /// Returns `nil` if the address is no link-local one, or if no interface can have the name.
  init?(_ text: String, zone: Substring) {
    self.init(text)
    guard bytes.count == 16, bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80, Self.isZone(zone) else { return nil }
    self.zone = String(zone)
  }

  /// Whether a text is the name or the number of an interface, in unreserved characters (RFC 6874 section 2).
  private static func isZone(_ text: Substring) -> Bool {
    1...15 ~= text.utf8.count && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._~".utf8.contains($0) }
  }
}

extension IPAddress {
  /// Returns the addresses of `localhost` and of the names below it; `nil` for another name.
  ///
  /// A transport gives these names to no resolver (RFC 6761 section 6.3).
  public static func ofThisMachine(_ host: String) -> [IPAddress]? {
    let name = (host.hasSuffix(".") ? host.dropLast() : host[...]).lowercased()
    guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
    return ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
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
