import LupineCore
import LupineSupport

/// The hosts that are connected to without a proxy, in the syntax of `NO_PROXY`.
///
/// `example.com` matches that host and its subdomains; `.example.com` and `*.example.com` match its subdomains only. An
/// address, or a block such as `10.0.0.0/8` or `10.*`, matches hosts that are given as addresses, because names are not
/// resolved. `*` matches every host. Each entry may end in a colon and a port. Case and a trailing dot are ignored.
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

  /// Parses an entry; `nil` if it is invalid.
  private static func rule(_ entry: String) -> Rule? {
    guard let (host, port) = divided(entry), let hosts = hosts(host) else { return nil }
    return Rule(hosts: hosts, port: port)
  }

  /// Separates the port from an entry; `nil` if there is a colon without a port after it.
  ///
  /// An IPv6 address without brackets has several colons and no port.
  private static func divided(_ entry: String) -> (host: String, port: Int?)? {
    guard let colon = entry.lastIndex(of: ":"), entry[..<colon].last == "]" || !entry[..<colon].contains(":") else {
      return (entry, nil)
    }
    let digits = entry[colon...].dropFirst()
    guard digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits), port > 0 else { return nil }
    return (String(entry[..<colon]), Int(port))
  }

  private static func hosts(_ text: String) -> Hosts? {
    if text == "*" { return .all }
    if let block = AddressBlock(text) ?? block(ofWildcard: text) { return .block(block) }
    let isWildcard = text.hasPrefix("*.") || text.hasPrefix(".")
    let host = isWildcard ? String(text.drop { $0 == "*" }.dropFirst()) : text
    // Uses the URL parser, for the same host syntax everywhere.
    guard !host.isEmpty, host.allSatisfy({ !"@/?#\\".contains($0) }), let url = try? HTTPURL("https://\(host)/") else {
      return nil
    }
    guard url.hostKind == .name else {
      guard !isWildcard, let address = IPAddress(url.host) else { return nil }
      return .block(AddressBlock(address.unmapped))
    }
    let name = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
    return .domain(name, includesItself: !isWildcard)
  }

  /// Parses `10.*`, `192.168.*` or `10.*.*.*`: one to three octets, then one `*`, or as many as make four parts.
  private static func block(ofWildcard text: String) -> AddressBlock? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let octets = parts.prefix { $0 != "*" }
    let stars = parts.dropFirst(octets.count)
    guard (1...3).contains(octets.count), stars.count == 1 || parts.count == 4, stars.allSatisfy({ $0 == "*" }) else {
      return nil
    }
    let first = (octets + repeatElement("0", count: 4 - octets.count)).joined(separator: ".")
    return AddressBlock("\(first)/\(octets.count * 8)")
  }
}
