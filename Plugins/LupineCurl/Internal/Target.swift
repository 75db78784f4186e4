import LupineCore

/// Where a proxy is to connect to, as far as it was found out before the exchange went to the loop.
struct Target: Sendable {
  /// One after the other; none where the proxy, or libcurl, finds them.
  var addresses: [IPAddress] = []
  /// `nil` where no name had to be looked up.
  var lookup: NameLookup?
}
