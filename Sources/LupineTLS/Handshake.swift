import COpenSSL
public import LupineCore
public import LupineFoundation
import LupineX509

/// The verification of a peer in one TLS handshake, owned by its connection, or by the `SSL_CTX` of that connection.
///
/// libcurl also checks the host name, but accepts a common name. `verify` runs first, and the handshake fails unless it
/// succeeds. A resumed session comes from a handshake that passed this verification for the same host with the same
/// roots.
public final class Handshake {
  /// The server or proxy of the handshake.
  public struct Peer {
    /// The name or address, in the form of `HTTPURL.host`.
    public let host: String
    let port: Int
    let isProxy: Bool
    /// The evaluator that decides; `nil` if only the chain and the host name count.
    let evaluator: (any TrustEvaluator)?

    /// The server of a URL.
    public static func server(_ url: HTTPURL, in context: TransferContext) -> Peer {
      server(host: url.host, port: url.effectivePort, in: context)
    }

    /// The server at a host and a port.
    public static func server(host: String, port: Int, in context: TransferContext) -> Peer {
      Peer(host: host, port: port, isProxy: false, evaluator: context.evaluator)
    }

    /// The proxy between the client and the server.
    public static func proxy(_ proxy: Proxy, in context: TransferContext) -> Peer {
      Peer(host: proxy.host, port: proxy.port, isProxy: true, evaluator: context.proxyEvaluator)
    }
  }

  /// Whether the server or proxy has been verified and is trusted.
  public private(set) var isTrusted = false
  /// Whether the peer has sent close_notify (RFC 8446 section 6.1).
  public internal(set) var hasCloseNotify = false
  /// Whether OpenSSL had read every record that had begun, when it sent close_notify.
  ///
  /// False before that, and if close_notify could not be sent.
  public internal(set) var wasBetweenRecords = false
  /// The root certificates that verify the chain.
  let roots: TrustedRoots
  /// Runs the verification.
  let excludingTime: Wrapper
  /// Receives each session that the peer offers for a resumption.
  let sessionArrived: ((TLSSession) -> Void)?
  private let peer: Peer
  private let connectionKey: ConnectionKey
  /// The date for validity checks.
  public let now: Date
  /// The exchange that makes the connection, as long as it exists.
  private weak var owner: (any HandshakeOwner)?
  /// The input of the evaluator, which waits for the stapled OCSP response.
  private var pending: ServerTrust?

  /// Runs work, such as without counting its time.
  public typealias Wrapper = (_ work: () -> Bool) -> Bool

  /// - Parameters:
  ///   - owner: the exchange that makes the connection.
  ///   - excludingTime: runs the verification, which calls the evaluator.
  ///   - sessionArrived: receives each session that the peer offers for a resumption; `nil` if none is kept.
  public init(
    for owner: any HandshakeOwner, with peer: Peer, _ roots: TrustedRoots, _ connectionKey: ConnectionKey,
    excludingTime: @escaping Wrapper = { $0() }, sessionArrived: ((TLSSession) -> Void)? = nil
  ) {
    self.owner = owner
    self.peer = peer
    self.roots = roots
    self.connectionKey = connectionKey
    self.excludingTime = excludingTime
    self.sessionArrived = sessionArrived
    now = owner.context.now()
  }

  /// Whether the client requests a stapled OCSP response.
  var requestsOCSPResponse: Bool { peer.evaluator?.wantsStapledOCSPResponse == true }

  /// Verifies the chain and the host name, and calls the evaluator; false ends the handshake.
  func verify(_ context: OpaquePointer) -> Bool {
    if let problem = ChainLimits.problem(in: context) {
      owner?.handshakeFailed(
        LupineError(.certificateRejected, "The certificates of the \(peerName) are refused: \(problem)"))
      return reject(context, X509_V_ERR_APPLICATION_VERIFICATION)
    }
    let chain = VerifiedChain(context, roots, host: peer.host, now: now)
    if peer.evaluator?.replacesVerification != true {
      if let failure = chain.failure { return rejectChain(context, failure) }
      if !matchesHost(context) || !permitsHost(context, chain) { return false }
    }
    guard let evaluator = peer.evaluator else { return accept(context) }
    var trust = trust(chain)
    // Before TLS 1.3, the OCSP response arrives after the certificates, and `evaluateOCSPResponse` decides.
    if requestsOCSPResponse, let connection = VerifiedChain.connection(context),
      SSL_version(connection) < TLS1_3_VERSION
    {
      pending = trust
      X509_STORE_CTX_set_error(context, X509_V_OK)
      return true
    }
    if requestsOCSPResponse { trust.stapledOCSPResponse = VerifiedChain.connection(context).flatMap(Self.ocspResponse) }
    return evaluate(trust, evaluator) ? accept(context) : reject(context, X509_V_ERR_APPLICATION_VERIFICATION)
  }

  /// Calls the evaluator with the stapled OCSP response; false ends the handshake.
  func evaluateOCSPResponse(_ connection: OpaquePointer) -> Bool {
    guard var trust = pending, let evaluator = peer.evaluator else { return isTrusted }
    pending = nil
    trust.stapledOCSPResponse = Self.ocspResponse(connection)
    isTrusted = evaluate(trust, evaluator)
    return isTrusted
  }

  /// Sets the error of the exchange for a key exchange over a finite field of this size in bits.
  func refuseKeyExchange(bits: Int) {
    owner?.handshakeFailed(
      LupineError(
        .tlsFailed,
        "The \(peerName) has chosen a finite field of \(bits) bits for the key exchange; at most "
          + "\(OfferedAlgorithms.finiteField) are accepted, because larger ones take too long to compute with."))
  }

  private var peerName: String { peer.isProxy ? "proxy \(peer.host)" : "server" }

  private func matchesHost(_ context: OpaquePointer) -> Bool {
    if let leaf = X509_STORE_CTX_get0_cert(context), HostName.matches(peer.host, leaf) { return true }
    owner?.handshakeFailed(
      LupineError(
        .certificateRejected,
        "The \(peer.isProxy ? "proxy" : "server")'s certificate does not match the host \(peer.host): none of its subject "
          + "alternative names matches. A common name does not count (RFC 9110 section 4.3.4). Request the server by a "
          + "name that its certificate contains."))
    return reject(
      context, HostName.isAddress(peer.host) ? X509_V_ERR_IP_ADDRESS_MISMATCH : X509_V_ERR_HOSTNAME_MISMATCH)
  }

  private func permitsHost(_ context: OpaquePointer, _ chain: VerifiedChain) -> Bool {
    if chain.permitsHost { return true }
    owner?.handshakeFailed(
      LupineError(
        .certificateRejected,
        "The \(peer.isProxy ? "proxy" : "server")'s certificate is not valid for the host \(peer.host): an authority of "
          + "its chain may not sign for that name (RFC 5280 section 4.2.1.10). Use a certificate of another authority.")
    )
    return reject(context, X509_V_ERR_EXCLUDED_VIOLATION)
  }

  private func accept(_ context: OpaquePointer) -> Bool {
    X509_STORE_CTX_set_error(context, X509_V_OK)
    isTrusted = true
    return true
  }

  /// Rejects the chain; for a proxy it sets the error, because libcurl's message does not name the proxy.
  private func rejectChain(_ context: OpaquePointer, _ code: Int32) -> Bool {
    if peer.isProxy { fail("its chain cannot be verified: \(OpenSSLText.verification(code))", nil) }
    return reject(context, code)
  }

  private func reject(_ context: OpaquePointer, _ code: Int32) -> Bool {
    X509_STORE_CTX_set_error(context, code)
    return false
  }

  private func evaluate(_ trust: ServerTrust, _ evaluator: any TrustEvaluator) -> Bool {
    do {
      try evaluator.evaluate(trust)
      return true
    } catch {
      fail("\(error)", error)
      return false
    }
  }

  private func fail(_ reason: String, _ error: (any Error)?) {
    let message =
      "The certificate of \(peer.isProxy ? "the proxy " : "")\(peer.host) was evaluated and rejected: \(reason)"
    owner?.handshakeFailed(LupineError(.certificateRejected, message, underlying: error))
  }

  private func trust(_ chain: VerifiedChain) -> ServerTrust {
    ServerTrust(
      host: peer.host, port: peer.port, presentedChain: chain.presented, verifiedChain: chain.verified,
      verificationFailure: chain.failure.map(OpenSSLText.verification),
      certificateAuthorities: connectionKey.certificateAuthorities,
      additionalCertificateAuthorities: connectionKey.additionalCertificateAuthorities, now: now,
      warn: { [context = owner?.context] in context?.emit(.warning($0)) })
  }

  private static func ocspResponse(_ connection: OpaquePointer) -> Data? {
    var bytes: UnsafePointer<UInt8>?
    let count = lupine_staple(connection, &bytes)
    guard let bytes, count > 0 else { return nil }
    return Data(bytes: bytes, count: count)
  }
}

/// The exchange for which a handshake verifies a connection.
public protocol HandshakeOwner: AnyObject {
  /// The context of the exchange.
  var context: TransferContext { get }

  /// Stores the error with which the exchange ends.
  func handshakeFailed(_ error: LupineError)
}
