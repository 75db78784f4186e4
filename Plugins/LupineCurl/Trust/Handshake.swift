import COpenSSL
import FoundationEssentials
import LupineCore

/// What the callbacks of one TLS handshake need, kept by its `SSL_CTX` for as long as the connection lives.
final class Handshake {
  /// Whether the server was found to be trusted.
  private(set) var isTrusted = false
  private let host: String
  private let port: Int
  private let isProxy: Bool
  private let evaluator: (any TrustEvaluator)?
  private let identity: SecurityIdentity
  private let roots: TrustSettings
  /// The exchange that has the connection made, while it does.
  private weak var exchange: Exchange?
  /// What the verification found, where the verdict waits for the stapled OCSP response.
  private var pending: ServerTrust?

  init(_ exchange: Exchange, _ roots: TrustSettings) {
    self.exchange = exchange
    self.roots = roots
    host = exchange.request.url.host
    port = exchange.request.url.effectivePort
    isProxy = false
    evaluator = exchange.context.evaluator
    identity = exchange.context.identity
  }

  /// Judges the proxy that the server is behind.
  init(_ exchange: Exchange, _ roots: TrustSettings, through proxy: Proxy) {
    self.exchange = exchange
    self.roots = roots
    host = proxy.host
    port = proxy.port
    isProxy = true
    evaluator = exchange.context.proxyEvaluator
    identity = exchange.context.identity
  }

  /// Whether the server is to be asked for an OCSP response.
  var wantsStaple: Bool { evaluator?.wantsStapledOCSPResponse == true }

  /// Verifies the chain and asks the evaluator; false ends the handshake.
  func verify(_ context: OpaquePointer) -> Bool {
    let chain = VerifiedChain(context, roots)
    if let failure = chain.failure, evaluator?.replacesVerification != true {
      X509_STORE_CTX_set_error(context, failure)
      if isProxy { refuse("its chain does not verify: \(OpenSSLText.verification(failure))", nil) }
      return false
    }
    guard let evaluator else { return accept(context) }
    let trust = trust(chain)
    // Before TLS 1.3 the response comes after the certificates, and is judged by `judgeStaple`.
    if wantsStaple, let connection = VerifiedChain.connection(context), SSL_version(connection) < TLS1_3_VERSION {
      pending = trust
      X509_STORE_CTX_set_error(context, X509_V_OK)
      return true
    }
    var judged = trust
    if wantsStaple { judged.stapledOCSPResponse = VerifiedChain.connection(context).flatMap(Self.staple) }
    if judge(judged, evaluator) { return accept(context) }
    X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION)
    return false
  }

  /// Gives the verdict that waited for the stapled OCSP response; false ends the handshake.
  func judgeStaple(_ connection: OpaquePointer) -> Bool {
    guard var trust = pending, let evaluator else { return isTrusted }
    pending = nil
    trust.stapledOCSPResponse = Self.staple(connection)
    isTrusted = judge(trust, evaluator)
    return isTrusted
  }

  private func accept(_ context: OpaquePointer) -> Bool {
    X509_STORE_CTX_set_error(context, X509_V_OK)
    isTrusted = true
    return true
  }

  private func judge(_ trust: ServerTrust, _ evaluator: any TrustEvaluator) -> Bool {
    do {
      try evaluator.evaluate(trust)
      return true
    } catch {
      refuse("\(error)", error)
      return false
    }
  }

  private func refuse(_ reason: String, _ error: (any Error)?) {
    let message = "The certificate of \(isProxy ? "the proxy " : "")\(host) was judged and refused: \(reason)"
    exchange?.failure = LupineError(.certificateRejected, message, underlying: error)
  }

  private func trust(_ chain: VerifiedChain) -> ServerTrust {
    let exchange = exchange
    return ServerTrust(
      host: host, port: port, presentedChain: chain.presented, verifiedChain: chain.verified,
      verificationFailure: chain.failure.map(OpenSSLText.verification),
      certificateAuthorities: identity.certificateAuthorities,
      additionalCertificateAuthorities: identity.additionalCertificateAuthorities, now: Date(),
      warn: { [context = exchange?.context] in context?.emit(.warning($0)) })
  }

  private static func staple(_ connection: OpaquePointer) -> Data? {
    var bytes: UnsafePointer<UInt8>?
    let count = lupine_staple(connection, &bytes)
    guard let bytes, count > 0 else { return nil }
    return Data(bytes: bytes, count: count)
  }
}
