import LupineSupport

/// The addresses that a session may connect to.
///
/// The policy checks the address of every connection: after every name resolution and for every redirect. The first
/// rule that matches decides; without a match `otherwise` decides. A request to a refused address fails with kind
/// `addressRefused` before a byte is sent.
///
/// ```swift
/// .networkPolicy(.publicInternetOnly.allowing("10.20.0.0/16"))
/// ```
public struct NetworkPolicy: Sendable, Hashable {
  /// The decision of a rule for the addresses in its block.
  public enum Verdict: Sendable, Hashable {
    /// Connections are allowed.
    case allow
    /// Connections are refused.
    case deny
  }

  struct Rule: Sendable, Hashable {
    let block: AddressBlock
    let verdict: Verdict
  }

  private(set) var rules: [Rule] = []
  /// The reasons why the policy cannot be used: texts that are not address blocks.
  ///
  /// `Session.Builder.build()` throws an error with them.
  public private(set) var issues: [String] = []
  /// The decision for addresses that no rule matches.
  public let otherwise: Verdict

  /// Creates a policy without rules.
  public init(otherwise: Verdict) { self.otherwise = otherwise }

  /// Returns the policy with these blocks allowed.
  ///
  /// The new rules take precedence.
  ///
  /// - Parameter blocks: addresses, or blocks such as `10.0.0.0/8`. Text that is neither makes `build()` throw.
  public func allowing(_ blocks: String...) -> NetworkPolicy { adding(blocks, .allow) }

  /// Returns the policy with these blocks refused.
  ///
  /// The new rules take precedence.
  ///
  /// - Parameter blocks: addresses, or blocks such as `10.0.0.0/8`. Text that is neither makes `build()` throw.
  public func denying(_ blocks: String...) -> NetworkPolicy { adding(blocks, .deny) }

  /// Whether both have the same rules in the same order.
  public static func == (left: NetworkPolicy, right: NetworkPolicy) -> Bool {
    guard left.otherwise == right.otherwise, left.rules.count == right.rules.count else { return false }
    assert(StepCount.add(left.rules.count))
    return left.rules == right.rules && left.issues == right.issues
  }

  /// Hashes the number of rules in the place of the rules, in constant time: exchanges hash their connection keys.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rules.count)
    hasher.combine(otherwise)
  }

  /// Whether connections to the address are allowed.
  ///
  /// An IPv4-mapped address counts as the IPv4 address that it contains. If a translator (RFC 6052, RFC 2765) or a
  /// tunnel (6to4, Teredo, ISATAP, IPv4-compatible) forwards to an IPv4 address, both addresses must be allowed.
  public func allows(_ address: IPAddress) -> Bool {
    guard verdict(on: address) == .allow else { return false }
    return address.forwarded.map { verdict(on: $0) == .allow } ?? true
  }

  private func verdict(on address: IPAddress) -> Verdict {
    rules.first { $0.block.contains(address) }?.verdict ?? otherwise
  }

  func adding(_ blocks: [String], _ verdict: Verdict) -> NetworkPolicy {
    var copy = self
    var added: [Rule] = []
    for text in blocks {
      if let block = AddressBlock(text) {
        added.append(Rule(block: block, verdict: verdict))
      } else {
        copy.issues.append("\"\(text)\" is neither an address nor a block such as 10.0.0.0/8")
      }
    }
    copy.rules = added + rules
    return copy
  }
}

extension NetworkPolicy {
  /// Allows only this machine's loopback addresses.
  public static let loopbackOnly = NetworkPolicy(otherwise: .deny).adding(["127.0.0.0/8", "::1"], .allow)

  /// Refuses every address that is not on the public Internet.
  ///
  /// It refuses this machine, private networks, link-local addresses (including the metadata services of clouds),
  /// carrier-grade NAT, multicast, and the addresses that the special-purpose registries (RFC 6890) exclude from global
  /// routing.
  ///
  /// Use it for a service that fetches URLs from its users. It cannot check addresses behind a proxy, so `build()`
  /// throws if it is combined with a proxy that resolves names.
  public static let publicInternetOnly = NetworkPolicy(otherwise: .allow).adding(["::/0"], .deny)
    .adding(global, .allow).adding(special, .deny)

  /// The global IPv6 addresses (RFC 4291 section 2.4), and NAT64 addresses (RFC 6052).
  private static let global = ["2000::/3", "64:ff9b::/96"]

  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    // An address that Azure services use inside virtual machines, although it is a public one.
    "168.63.129.16",
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ]
}

extension NetworkPolicy {
  /// Returns the error of a request whose connection a policy refuses.
  ///
  /// For transports.
  ///
  /// - Parameter address: the refused address; `nil` if it is not known.
  public static func refusal(of address: IPAddress?, for url: HTTPURL) -> LupineError {
    let place = address.map { "\($0)" } ?? "an unknown address"
    return LupineError(
      .addressRefused,
      "The host \(url.host) has the address \(place), which the session's network policy refuses; nothing was sent.")
  }
}

/// A block of addresses with a common prefix (RFC 4632), such as `10.0.0.0/8`, or a single address.
///
/// An IPv6 block of only IPv4-mapped addresses is the block of those IPv4 addresses.
public struct AddressBlock: Sendable, Hashable {
  /// The first address of the block.
  public let address: IPAddress
  /// The number of bits that all its addresses share.
  public let prefixLength: Int

  /// Parses `10.0.0.0/8`, `fd00::/8` or a single address; returns `nil` for other text.
  ///
  /// Bits after the prefix are cleared.
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

  /// Creates a block of a single address.
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

  /// Whether the block contains an address.
  ///
  /// An IPv4-mapped address counts as the IPv4 address that it contains.
  public func contains(_ address: IPAddress) -> Bool {
    let bytes = address.unmapped.bytes
    guard bytes.count == self.address.bytes.count else { return false }
    return bytes.indices.allSatisfy { bytes[$0] & Self.mask($0, prefixLength) == self.address.bytes[$0] }
  }

  /// Returns the bits of a byte that belong to the prefix.
  private static func mask(_ index: Int, _ length: Int) -> UInt8 {
    let bits = min(max(length - index * 8, 0), 8)
    return UInt8(truncatingIfNeeded: 0xFF00 >> bits)
  }
}

extension AddressBlock: CustomStringConvertible {
  /// The text form of the block.
  public var description: String {
    prefixLength == address.bytes.count * 8 ? address.description : "\(address)/\(prefixLength)"
  }
}
