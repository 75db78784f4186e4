extension NetworkPolicy {
  /// Allows this machine's loopback addresses alone.
  public static let loopbackOnly = NetworkPolicy(otherwise: .deny).adding(["127.0.0.0/8", "::1"], .allow)

  /// Refuses every address that is not one of the public Internet's: this machine, private networks, link-local
  /// addresses (the clouds' metadata services among them), carrier-grade NAT, multicast, and what the registries of
  /// special-purpose addresses (RFC 6890) keep out of global routing.
  ///
  /// For a service that fetches URLs which its users name. It cannot see behind a proxy, so `build()` refuses it beside
  /// one that resolves names itself.
  public static let publicInternetOnly = NetworkPolicy(otherwise: .allow).adding(["::/0"], .deny)
    .adding(global, .allow).adding(special, .deny)

  /// The global IPv6 addresses (RFC 4291 section 2.4), and NAT64 addresses (RFC 6052).
  private static let global = ["2000::/3", "64:ff9b::/96"]

  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    // What Azure's own services use inside its machines, though it looks public.
    "168.63.129.16",
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ]
}
