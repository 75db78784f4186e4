import LupineCore

/// The hosts that are connected to without a proxy, in the syntax of `NO_PROXY`.
///
/// `example.com` matches that host and its subdomains; `.example.com` and `*.example.com` match its subdomains only. An
/// address, or a block such as `10.0.0.0/8` or `10.*`, matches hosts that are given as addresses, because names are not
/// resolved.
/// `*` matches every host. Each entry may end in a colon and a port. Case and a trailing dot are ignored.
struct ProxyExceptions: Sendable, Hashable {
  private enum Hosts: Hashable {
    case all
    case domain(String, includesItself: Bool)
    case block(AddressBlock)
  }

  private struct Rule: Hashable {
    let hosts: Hosts
    let port: Int?
  }

  private var rules: [Rule] = []
  /// A description of each invalid entry.
  private(set) var problems: [String] = []

  /// Parses entries; each text may contain several, separated by commas or white space.
  init(_ entries: [String]) {
    for entry in entries.flatMap({ $0.split { $0 == "," || $0 == " " || $0 == "\t" } }) {
      if let rule = Self.rule(String(entry)) {
        rules.append(rule)
      } else {
        problems.append("\"\(entry)\" is neither a host, a domain, an address nor a block such as 10.0.0.0/8")
      }
    }
  }

  mutating func add(_ other: ProxyExceptions) {
    rules += other.rules
    problems += other.problems
  }

  /// Whether the URL's host is connected to directly.
  func contains(_ url: HTTPURL) -> Bool {
    let name = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
    let address = url.hostKind == .name ? nil : IPAddress(host: name)
    return rules.contains { rule in
      if let port = rule.port, port != url.effectivePort { return false }
      return switch rule.hosts {
      case .all: true
      case .domain(let domain, let includesItself):
        address == nil && (name.hasSuffix("." + domain) || (includesItself && name == domain))
      case .block(let block): address.map(block.contains) ?? false
      }
    }
  }

  /// Parses one to three octets and a `*` for each of the rest, or one for all of the rest: `192.168.*` is the block
  /// `192.168.0.0/16`.
  private static func numericWildcard(_ text: String) -> Rule? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let labels = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let octets = labels.prefix { $0 != "*" }
    let stars = labels.count - octets.count
    guard (1...3).contains(octets.count), labels.dropFirst(octets.count).allSatisfy({ $0 == "*" }),
      stars == 1 || labels.count == 4, let port = Self.port(parts.dropFirst().first)
    else { return nil }
    let first = (Array(octets) + Array(repeating: "0", count: 4 - octets.count)).joined(separator: ".")
    return AddressBlock("\(first)/\(octets.count * 8)").map { Rule(hosts: .block($0), port: port) }
  }

  /// Parses a port; the outer `nil` is for text that is none, the inner one for no text.
  private static func port(_ text: Substring?) -> Int?? {
    guard let text else { return .some(nil) }
    guard let port = UInt16(text), port > 0 else { return nil }
    return Int(port)
  }

  private static func rule(_ entry: String) -> Rule? {
    if entry == "*" { return Rule(hosts: .all, port: nil) }
    if let block = AddressBlock(entry) { return Rule(hosts: .block(block), port: nil) }
    var host = entry
    if let rule = numericWildcard(host) { return rule }
    let isWildcard = host.hasPrefix("*.") || host.hasPrefix(".")
    if isWildcard { host = String(host.drop { $0 == "*" }.dropFirst()) }
    // Uses the URL parser, for the same host syntax everywhere; with https, because it keeps port 80.
    guard !host.isEmpty, host.allSatisfy({ !"@/?#\\".contains($0) }), let url = try? HTTPURL("https://\(host)/") else {
      return nil
    }
    let port = url.port ?? (host.hasSuffix(":443") ? 443 : nil)
    guard url.hostKind == .name else {
      guard !isWildcard, let address = IPAddress(url.host) else { return nil }
      return Rule(hosts: .block(AddressBlock(address.unmapped)), port: port)
    }
    let name = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
    return Rule(hosts: .domain(name, includesItself: !isWildcard), port: port)
  }
}
