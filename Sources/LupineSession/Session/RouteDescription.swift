import LupineCore

/// What a builder was told of the way to servers, unchecked.
struct RouteDescription: Sendable {
  struct ProxyChoice: Sendable {
    let proxy: Result<Proxy, LupineError>
    let schemes: Set<HTTPURL.Scheme>
  }

  var proxies: [ProxyChoice] = []
  var exceptions: [String] = []
  var usesEnvironment = false
  var unixSocket: String?
  var localAddress: String?
  var overrides: [(host: String, addresses: [String])] = []
  var networkPolicy: NetworkPolicy?
}
