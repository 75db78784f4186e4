import LupineCore
import Synchronization

/// Maps hosts to trust evaluators; each policy has a unique id.
struct TrustPolicy: Sendable {
  private static let counter = Atomic<UInt64>(0)

  let id: UInt64
  private let rules: HostRules<any TrustEvaluator>
  private let fallback: (any TrustEvaluator)?

  init(rules: [(HostPattern, any TrustEvaluator)], fallback: (any TrustEvaluator)?) {
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.rules = HostRules(rules)
    self.fallback = fallback
  }

  func evaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard url.scheme == .https else { return nil }
    return rules.value(for: url) ?? fallback
  }
}

/// Values by host pattern; the most precise pattern that matches a URL applies.
struct HostRules<Value: Sendable>: Sendable {
  private let rules: [(pattern: HostPattern, value: Value)]

  init(_ rules: [(HostPattern, Value)] = []) {
    self.rules = rules.map { (pattern: $0.0, value: $0.1) }.sorted { $0.pattern.precedence > $1.pattern.precedence }
  }

  var isEmpty: Bool { rules.isEmpty }

  func value(for url: HTTPURL) -> Value? {
    if rules.isEmpty { return nil }
    let host = HostPattern.host(of: url)
    return rules.first { $0.pattern.matches(host, port: url.effectivePort) }?.value
  }
}

/// A host name or address, or `*.` and a domain for every name one label below it; with or without a port.
struct HostPattern: Sendable, Hashable {
  private let isWildcard: Bool
  private let name: String
  private let port: Int?

  /// Returns `nil` if the text is neither a host name nor a wildcard over at least two labels.
  init?(_ text: String) {
    var lowered = text.lowercased()
    isWildcard = lowered.hasPrefix("*.")
    if isWildcard { lowered = String(lowered.dropFirst(2)) }
    // An IPv6 address without brackets has colons, but no port.
    let isBareAddress = lowered.utf8.count { $0 == 0x3A } > 1 && !lowered.hasPrefix("[")
    guard let url = try? HTTPURL("https://\(isBareAddress ? "[\(lowered)]" : lowered)/") else { return nil }
    name = url.hostWithoutZone
    port = url.port ?? (lowered.hasSuffix(":443") && !isBareAddress ? 443 : nil)
    guard url.path == "/", url.query == nil, url.fragment == nil, !lowered.contains("@"), !lowered.contains("/") else {
      return nil
    }
    guard !name.isEmpty, !name.contains("*"), !name.hasSuffix(".") else { return nil }
    guard !isWildcard || (name.contains(".") && url.hostKind != .ipv4 && url.hostKind != .ipv6) else { return nil }
  }

  /// Returns the host that patterns are compared with: without the zone of an address, and without a trailing dot.
  static func host(of url: HTTPURL) -> String {
    let host = url.hostWithoutZone
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// - Parameter host: the result of `host(of:)`.
  func matches(_ host: String, port: Int) -> Bool {
    if let own = self.port, own != port { return false }
    guard isWildcard else { return host == name }
    guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
    return host[host.index(after: dot)...] == name
  }

  /// The order of patterns: exact names before wildcards; within each, patterns with a port before those without.
  var precedence: Int { (isWildcard ? 0 : 2) + (port == nil ? 0 : 1) }
}
