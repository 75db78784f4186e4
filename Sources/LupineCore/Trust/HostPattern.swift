/// A host name, or `*.` and a domain for every name one label below it.
struct HostPattern: Sendable, Hashable {
  private let isWildcard: Bool
  private let name: String

  /// Nil where the text is neither a host name nor a wildcard over at least two labels.
  init?(_ text: String) {
    let lowered = text.lowercased()
    isWildcard = lowered.hasPrefix("*.")
    name = isWildcard ? String(lowered.dropFirst(2)) : lowered
    guard !name.isEmpty, !name.contains("*"), !name.hasSuffix(".") else { return nil }
    guard !isWildcard || name.contains(".") else { return nil }
    let host = name.contains(":") ? "[\(name)]" : name
    guard (try? HTTPURL("https://\(host)/"))?.host == name else { return nil }
  }

  func matches(_ host: String) -> Bool {
    guard isWildcard else { return host == name }
    guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
    return host[host.index(after: dot)...] == name
  }

  /// Exact names come before wildcards.
  var isExact: Bool { !isWildcard }
}
