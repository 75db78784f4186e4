/// Which addresses a session may connect to.
///
/// The address that is really dialled is what counts: it is looked at for every connection, after every resolution of a
/// name, on every hop of a redirect. Of the rules the first that matches decides; the last word is `otherwise`. A request
/// to an address that is refused fails with kind `addressRefused`, before a byte is sent.
///
/// ```swift
/// .networkPolicy(.publicInternetOnly.allowing("10.20.0.0/16"))
/// ```
public struct NetworkPolicy: Sendable, Hashable {
  /// What a rule says of the addresses in its block.
  public enum Verdict: Sendable, Hashable {
    /// They may be connected to.
    case allow
    /// They may not.
    case deny
  }

  struct Rule: Sendable, Hashable {
    let block: AddressBlock
    let verdict: Verdict
  }

  private(set) var rules: [Rule] = []
  /// What is no block of addresses; `Session.Builder.build()` refuses a policy that has any.
  package private(set) var problems: [String] = []
  /// What is said of addresses that no rule matches.
  public let otherwise: Verdict

  /// A policy without rules.
  public init(otherwise: Verdict) { self.otherwise = otherwise }

  /// Returns the policy with these blocks allowed, whatever it says of them otherwise.
  ///
  /// - Parameter blocks: addresses, or blocks such as `10.0.0.0/8`. Text that is neither makes `build()` throw.
  public func allowing(_ blocks: String...) -> NetworkPolicy { adding(blocks, .allow) }

  /// Returns the policy with these blocks refused, whatever it says of them otherwise.
  ///
  /// - Parameter blocks: addresses, or blocks such as `10.0.0.0/8`. Text that is neither makes `build()` throw.
  public func denying(_ blocks: String...) -> NetworkPolicy { adding(blocks, .deny) }

  /// Whether the address may be connected to.
  ///
  /// An IPv4-mapped address counts as the IPv4 address that it holds. Where a translator (RFC 6052, RFC 2765) or a tunnel
  /// (6to4, Teredo, ISATAP, IPv4-compatible) forwards to an IPv4 address, both addresses must be allowed.
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
        copy.problems.append("\"\(text)\" is neither an address nor a block such as 10.0.0.0/8")
      }
    }
    copy.rules = added + rules
    return copy
  }
}
