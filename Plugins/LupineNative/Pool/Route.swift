import LupineCore
import LupineEventLoop
import LupineSupport

/// The exchanges that may share connections: those with the same origin and connection key.
///
/// The exchanges that a proxy forwards share its connections, whatever their origins.
final class Route {
  /// The server, or the proxy that forwards the requests.
  let origin: HTTPURL.Origin
  let connectionKey: ConnectionKey
  /// The proxy that the connections are made to.
  let proxy: Proxy?
  /// Whether the proxy forwards the requests; otherwise it leads the connection to the server.
  let isForwarded: Bool
  /// The idle connections; the one used last is the last one.
  ///
  /// Without dynamic checks of exclusive access, like `requestLines`: no code is called during a change.
  @exclusivity(unchecked) var idle = RemovableQueue<Connection>()
  /// The field lines of the last request over HTTP/1.1.
  @exclusivity(unchecked) var requestLines: RequestLines?
  /// The fields of the last request over HTTP/2.
  @exclusivity(unchecked) var requestFields: HTTP2RequestFields?
  /// The lookups of the resolver that the key names; set by the first one.
  var lookups: HostLookups?
  /// The connections of HTTP/2.
  var sharing = SharedConnections()
  /// The number of connections and of exchanges that refer to the route.
  var useCount = 0

  /// The host and the port that connections are made to.
  var peer: (host: String, port: Int) { proxy.map { ($0.host, $0.port) } ?? (origin.host, origin.port) }
  /// Whether an HTTP proxy opens a tunnel to the server.
  var isTunnelled: Bool { !isForwarded && proxy.map { $0.kind != .socks5 } ?? false }

  init(_ origin: HTTPURL.Origin, _ connectionKey: ConnectionKey, isForwarded: Bool = false) {
    self.origin = origin
    self.connectionKey = connectionKey
    self.isForwarded = isForwarded
    proxy = connectionKey.proxy
  }
}

/// Identifies a route.
struct RouteKey: Hashable {
  let origin: HTTPURL.Origin
  let connectionKey: ConnectionKey
  let isForwarded: Bool

  init(_ url: HTTPURL, _ connectionKey: ConnectionKey) {
    self.connectionKey = connectionKey
    isForwarded = url.scheme == .http && connectionKey.hasTunnellingProxy
    if isForwarded, let proxy = connectionKey.proxy {
      origin = HTTPURL.Origin(scheme: .http, host: proxy.host, port: proxy.port)
    } else {
      origin = url.origin
    }
  }

  init(_ route: Route) {
    origin = route.origin
    connectionKey = route.connectionKey
    isForwarded = route.isForwarded
  }
}

/// Finds the route of an exchange.
struct Routes {
  private var routes: [RouteKey: Route] = [:]
  /// The last exchange's URL, key and route: the next exchange often has the same.
  private var last: (url: String, key: ConnectionKey, route: Route)?

  /// Returns the route of an exchange, which `leave` must release.
  mutating func enter(_ url: HTTPURL, _ connectionKey: ConnectionKey) -> Route {
    let route = route(url, connectionKey)
    route.useCount += 1
    return route
  }

  private mutating func route(_ url: HTTPURL, _ connectionKey: ConnectionKey) -> Route {
    if let last, last.url == url.string, last.key == connectionKey { return last.route }
    let key = RouteKey(url, connectionKey)
    let route = routes[key] ?? Route(key.origin, connectionKey, isForwarded: key.isForwarded)
    routes[key] = route
    last = (url.string, connectionKey, route)
    return route
  }

  /// Records that an exchange or a connection has left the route, and forgets a route that nothing uses.
  mutating func leave(_ route: Route) {
    route.useCount -= 1
    guard route.useCount == 0 else { return }
    routes[RouteKey(route)] = nil
    if last?.route === route { last = nil }
  }
}
