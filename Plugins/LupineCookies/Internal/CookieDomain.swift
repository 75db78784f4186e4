import LupineCore

/// Which hosts a domain stands for (RFC 6265bis section 5.1.3).
enum CookieDomain {
  /// Whether the host is the domain or lies below it; an address lies below nothing.
  static func matches(host: String, _ kind: HTTPURL.HostKind, domain: String) -> Bool {
    if host == domain { return true }
    return kind == .name && host.hasSuffix(domain) && host.dropLast(domain.count).last == "."
  }

  /// The host itself and every domain above it, as the keys that a jar looks under.
  static func keys(of host: String, _ kind: HTTPURL.HostKind) -> [String] {
    guard kind == .name else { return [host] }
    var keys = [host]
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if !rest.isEmpty { keys.append(String(rest)) }
    }
    return keys
  }
}
