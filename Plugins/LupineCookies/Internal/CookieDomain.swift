import LupineCore

/// The domain matching of cookies (RFC 6265bis section 5.1.3).
enum CookieDomain {
  /// Whether the host is the domain or a subdomain of it; an address has no subdomains.
  static func matches(host: String, _ kind: HTTPURL.HostKind, domain: String) -> Bool {
    if host == domain { return true }
    return kind == .name && host.hasSuffix(domain) && host.dropLast(domain.count).last == "."
  }

  /// Returns the host and every domain above it, which are the keys of a jar's domains.
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
