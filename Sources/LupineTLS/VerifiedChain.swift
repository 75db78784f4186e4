import COpenSSL
public import LupineCore
import LupineFoundation
import LupineSupport
import LupineX509

/// The certificates of a handshake, verified against the roots of the connection's key.
struct VerifiedChain {
  /// The certificates as the server sent them, in DER.
  let presented: [Data]
  /// The chain to a root; `nil` if the verification failed.
  let verified: [Data]?
  /// OpenSSL's error code; `nil` if the verification succeeded.
  let failure: Int32?
  /// Whether the authorities of the chain may sign for the host; false without a chain.
  let permitsHost: Bool

  /// - Parameter context: the context that OpenSSL passes to the callback that replaces its verification.
  init(_ context: OpaquePointer, _ roots: TrustedRoots, host: String, now: Date) {
    let sent = X509_STORE_CTX_get0_untrusted(context)
    presented = DER.certificates(sent)
    let own = X509_STORE_CTX_new()
    defer { X509_STORE_CTX_free(own) }
    guard X509_STORE_CTX_init(own, roots.store, X509_STORE_CTX_get0_cert(context), sent) == 1 else {
      ERR_clear_error()
      verified = nil
      failure = X509_V_ERR_OUT_OF_MEM
      permitsHost = false
      return
    }
    X509_STORE_CTX_set_default(own, "ssl_server")
    let level = Self.connection(context).map { SSL_get_security_level($0) } ?? 2
    X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(own), level)
    X509_VERIFY_PARAM_set_depth(X509_STORE_CTX_get0_param(own), Int32(ChainLimits.certificates))
    Self.set(now, on: own)
    let isVerified = X509_verify_cert(own) == 1
    ERR_clear_error()
    let code = X509_STORE_CTX_get_error(own)
    let chain = isVerified ? X509_STORE_CTX_get0_chain(own) : nil
    verified = isVerified ? DER.certificates(chain) : nil
    permitsHost = isVerified && NameConstraints.permit(host, by: chain)
    failure = isVerified ? nil : code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code
  }

  /// Returns the connection that the context belongs to.
  static func connection(_ context: OpaquePointer) -> OpaquePointer? {
    X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()).map { OpaquePointer($0) }
  }

  /// Sets the date for validity checks.
  static func set(_ now: Date, on context: OpaquePointer?) {
    X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(context), time_t(saturating: now.timeIntervalSince1970))
  }
}

extension TLSDetails {
  /// Reads the details of an OpenSSL connection.
  public init(_ connection: OpaquePointer) {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(connection, &bytes, &count)
    let agreed = bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
    self.init(
      version: SSL_get_version(connection).map { String(cString: $0) } ?? "",
      cipher: lupine_cipher(connection).map { String(cString: $0) } ?? "", applicationProtocol: agreed,
      peerCertificates: DER.certificates(SSL_get_peer_cert_chain(connection)))
  }
}
