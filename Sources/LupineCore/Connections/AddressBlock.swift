/// A block of addresses that begin with the same bits (RFC 4632), such as `10.0.0.0/8`; or a single address.
///
/// A block of IPv6 that holds nothing but IPv4-mapped addresses is the block of those IPv4 addresses.
public struct AddressBlock: Sendable, Hashable {
  /// The first address of the block.
  public let address: IPAddress
  /// How many bits all its addresses share.
  public let prefixLength: Int

  /// Reads `10.0.0.0/8`, `fd00::/8` or a single address; `nil` where the text is none of them.
  ///
  /// Bits behind the prefix are dropped.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
    var length = address.bytes.count * 8
    if parts.count == 2 {
      guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(parts[1]), number <= length
      else { return nil }
      length = number
    }
    self.init(address, prefixLength: length)
  }

  /// A single address.
  public init(_ address: IPAddress) { self.init(address, prefixLength: address.bytes.count * 8) }

  private init(_ address: IPAddress, prefixLength: Int) {
    let unmapped = address.unmapped
    let isMapped = unmapped != address && prefixLength >= 96
    let address = isMapped ? unmapped : address
    self.prefixLength = isMapped ? prefixLength - 96 : prefixLength
    var bytes = address.bytes
    for index in bytes.indices { bytes[index] &= Self.mask(index, self.prefixLength) }
    self.address = IPAddress(bytes: bytes) ?? address
  }

  /// Whether an address lies in the block; an IPv4-mapped one counts as the IPv4 address that it holds.
  public func contains(_ address: IPAddress) -> Bool {
    let bytes = address.unmapped.bytes
    guard bytes.count == self.address.bytes.count else { return false }
    return bytes.indices.allSatisfy { bytes[$0] & Self.mask($0, prefixLength) == self.address.bytes[$0] }
  }

  /// The bits of a byte that belong to the prefix.
  private static func mask(_ index: Int, _ length: Int) -> UInt8 {
    let bits = min(max(length - index * 8, 0), 8)
    return UInt8(truncatingIfNeeded: 0xFF00 >> bits)
  }
}

extension AddressBlock: CustomStringConvertible {
  /// The block as people write it.
  public var description: String {
    prefixLength == address.bytes.count * 8 ? address.description : "\(address)/\(prefixLength)"
  }
}
