import LupineCore

/// The addresses that a proxy connects to, as known before the exchange enters the loop.
struct Target: Sendable {
  /// The addresses to try in order; empty if the proxy or libcurl resolves the name.
  var addresses: [IPAddress] = []
  /// The lookup of the name; `nil` if none was necessary.
  var lookup: NameLookup?
}
