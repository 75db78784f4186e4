import LupineCore
import LupineFoundation
import LupineTLS

/// Makes the TLS connections of a loop; used on the loop's thread.
final class TLSClient {
  private let certificateAuthorities: String?
  private let algorithms: TLSAlgorithms
  /// Created with the first connection.
  private var context: TLSContext?
  private var roots = RootCache()
  private var sessions = SessionCache()
  /// The connection keys whose certificates have been checked.
  private var checkedKeys: Set<ConnectionKey> = []
  private static let maximumChecked = 256

  /// - Parameter certificateAuthorities: the file of root certificates for connection keys that name none.
  init(certificateAuthorities: String?, _ algorithms: TLSAlgorithms) {
    self.certificateAuthorities = certificateAuthorities
    self.algorithms = algorithms
  }

  /// Checks the root certificates and the client certificate before a connection is made.
  ///
  /// Each connection reads them again.
  ///
  /// - Throws: `LupineError` of kind `configuration` with the reason.
  func prepare(for route: Route, now: Date) throws(LupineError) {
    let key = route.connectionKey
    guard route.origin.scheme == .https || key.proxy?.kind == .https, !checkedKeys.contains(key) else { return }
    _ = try openContext()
    _ = try roots.roots(in: RootFiles(key, fallback: certificateAuthorities))
    if let certificate = key.clientCertificate { try ClientCertificateCheck.check(certificate, now: now) }
    if checkedKeys.count == Self.maximumChecked { checkedKeys = [] }
    checkedKeys.insert(key)
  }

  /// Creates a channel with TLS to a server, without a handshake.
  func makeChannel(
    over inner: any Channel, toServerOf route: Route, offering protocols: [String], for owner: any HandshakeOwner
  ) throws(LupineError) -> (TLSChannel, Handshake) {
    let key = route.connectionKey
    let peer = Handshake.Peer.server(host: route.origin.host, port: route.origin.port, in: owner.context)
    let identity = SessionCache.Identity(route, owner.context)
    let offer = TLSOffer(
      host: peer.host, minimum: key.minimumTLSVersion, maximum: key.maximumTLSVersion, protocols: protocols,
      clientCertificate: key.clientCertificate, session: identity.flatMap { sessions.take(for: $0) })
    return try makeChannel(
      over: inner, to: peer, offer, key, for: owner, name: "The server", keepingSessionsFor: identity)
  }

  /// Creates a channel with TLS to a proxy, without a handshake.
  ///
  /// The proxy gets no client certificate, and the versions are the default ones, because both are for servers.
  func makeChannel(
    over inner: any Channel, to proxy: Proxy, _ key: ConnectionKey, for owner: any HandshakeOwner
  ) throws(LupineError) -> (TLSChannel, Handshake) {
    let offer = TLSOffer(host: proxy.host, protocols: ["http/1.1"])
    return try makeChannel(
      over: inner, to: .proxy(proxy, in: owner.context), offer, key, for: owner, name: "The proxy \(proxy)",
      keepingSessionsFor: nil)
  }

  private func openContext() throws(LupineError) -> TLSContext {
    if let context { return context }
    let opened = try TLSContext(algorithms)
    context = opened
    return opened
  }

  private func makeChannel(
    over inner: any Channel, to peer: Handshake.Peer, _ offer: TLSOffer, _ key: ConnectionKey,
    for owner: any HandshakeOwner, name: String, keepingSessionsFor identity: SessionCache.Identity?
  ) throws(LupineError) -> (TLSChannel, Handshake) {
    let roots = try roots.roots(in: RootFiles(key, fallback: certificateAuthorities))
    let arrivals = SessionArrivals()
    let handshake = Handshake(
      for: owner, with: peer, roots, key,
      sessionArrived: { [weak self] session in
        arrivals.channel?.countSession()
        if let identity { self?.sessions.keep(session, for: identity) }
      })
    let channel = try TLSChannel(over: inner, offer, in: openContext(), verifiedBy: handshake, peer: name)
    arrivals.channel = channel
    return (channel, handshake)
  }

  /// Refers to the channel that a handshake belongs to, which is created after the handshake.
  private final class SessionArrivals {
    weak var channel: TLSChannel?
  }
}
