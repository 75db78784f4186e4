import COpenSSL
import LupineCore
import LupineFoundation
import LupineSupport
import LupineX509
import Synchronization

/// Finds the chain from a server's certificate to a trusted root.
struct ChainVerifier {
  /// The maximum number of presented certificates; `sizeLimit` is their maximum size in bytes.
  private static let countLimit = 32
  private static let sizeLimit = 1 << 20

  let trust: ServerTrust

  /// Reads the presented certificates.
  ///
  /// - Throws: `TrustFailure` of check `presentation` if there is none, or if they are too many, too large or
  ///   unreadable.
  func presented() throws(TrustFailure) -> [Certificate] {
    try checkSize()
    return try read(trust.presentedChain)
  }

  private func checkSize() throws(TrustFailure) {
    let chain = trust.presentedChain
    if chain.isEmpty { throw unreadable("the server presented no certificate") }
    guard chain.count <= Self.countLimit, chain.reduce(0, { $0 + $1.count }) <= Self.sizeLimit else {
      throw unreadable("the server presented more than \(Self.countLimit) certificates or 1 MiB of them")
    }
  }

  private func read(_ chain: [Data]) throws(TrustFailure) -> [Certificate] {
    do throws(CertificateError) {
      return try chain.map { der throws(CertificateError) in try CertificateCache.certificate(der) }
    } catch {
      throw unreadable(error.description)
    }
  }

  /// Returns the chain that the transport verified, or else verifies the chain to the session's roots.
  func verified() throws(TrustFailure) -> [Certificate] {
    if let chain = trust.verifiedChain {
      try checkSize()
      guard let first = chain.first, first == trust.presentedChain.first else {
        throw unreadable("the verified chain does not begin with the presented certificate")
      }
      return try read(chain)
    }
    let presented = try presented()
    if let failure = trust.verificationFailure {
      throw TrustFailure(
        .chain, trust, presented.first, failure,
        advice: "Correct the server's chain, or trust its root with certificateAuthorities.")
    }
    return try verify(presented, roots()).get()
  }

  private func roots() throws(TrustFailure) -> RootStore {
    let system = SystemRoots(named: trust.certificateAuthorities)
    let files = [system.file, trust.additionalCertificateAuthorities].compactMap(\.self)
    do throws(RootsUnreadable) { return try RootStore(files: files, folders: system.folders) } catch {
      throw TrustFailure(.chain, trust, nil, error.description, advice: "Name a file that can be read.")
    }
  }

  /// Verifies the chain to one of these certificates, and ignores the transport's result.
  func verified(anchors: [Certificate]) throws(TrustFailure) -> [Certificate] {
    try verify(try presented(), RootStore(anchors)).get()
  }

  private func verify(_ presented: [Certificate], _ store: borrowing RootStore) -> Result<[Certificate], TrustFailure> {
    let untrusted = X509Stack(presented.dropFirst())
    let context = X509_STORE_CTX_new()
    defer { X509_STORE_CTX_free(context) }
    guard let leaf = presented.first?.handle,
      X509_STORE_CTX_init(context, store.pointer, leaf.pointer, untrusted.pointer) == 1
    else { return .failure(unreadable("OpenSSL cannot verify it: \(OpenSSLText.takeError())")) }
    X509_STORE_CTX_set_default(context, "ssl_server")
    let parameters = X509_STORE_CTX_get0_param(context)
    // Security level 2, OpenSSL's default for TLS on Debian: at least 112 bits, and no SHA-1.
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    X509_VERIFY_PARAM_set_time(parameters, time_t(saturating: trust.now.timeIntervalSince1970))
    let isVerified = X509_verify_cert(context) == 1
    ERR_clear_error()
    guard isVerified else { return .failure(failure(context)) }
    return .success(X509Stack.certificates(in: X509_STORE_CTX_get0_chain(context)))
  }

  private func failure(_ context: OpaquePointer?) -> TrustFailure {
    let code = X509_STORE_CTX_get_error(context)
    let certificate = X509_STORE_CTX_get_current_cert(context).flatMap { Certificate(copying: $0) }
    return TrustFailure(
      .chain, trust, certificate, OpenSSLText.verification(code), advice: ChainAdvice.advice(for: code))
  }

  private func unreadable(_ reason: String) -> TrustFailure {
    TrustFailure(
      .presentation, trust, nil, reason, advice: "Inspect what the server sends: openssl s_client -showcerts.")
  }
}

/// Advice for errors of the chain verification.
enum ChainAdvice {
  static func advice(for code: Int32) -> String {
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
      "Renew the certificate on the server, or set this machine's clock."
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      "Have the server send its intermediate certificates, or trust its root with certificateAuthorities."
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      "Trust its root with certificateAuthorities, or pin it with acceptSelfSignedCertificates."
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      "Give the server a certificate with a stronger key and digest."
    default: "Give the server a certificate chain that follows RFC 5280."
    }
  }
}

/// Owns a list of OpenSSL's certificates.
struct X509Stack: ~Copyable {
  let pointer: OpaquePointer?

  init() { pointer = lupine_certificates_new() }

  /// Takes ownership of the list.
  init(owning pointer: OpaquePointer?) { self.pointer = pointer }

  /// Creates a list of these certificates.
  init(_ certificates: some Sequence<Certificate>) {
    self.init()
    for certificate in certificates { lupine_certificates_add(pointer, certificate.handle.pointer) }
  }

  deinit { lupine_certificates_free(pointer) }

  var certificates: [Certificate] { Self.certificates(in: pointer) }

  /// Copies the certificates of a list without ownership of it.
  static func certificates(in stack: OpaquePointer?) -> [Certificate] {
    (0..<lupine_certificates_count(stack)).compactMap { index in
      lupine_certificates_at(stack, index).flatMap { Certificate(copying: $0) }
    }
  }
}

extension RootStore {
  /// Creates a store with only these certificates.
  init(_ certificates: some Sequence<Certificate>) {
    self.init()
    for certificate in certificates { add(certificate.handle.pointer) }
  }
}

/// Caches parsed certificates of servers.
///
/// OpenSSL 3.0 takes longer to parse a certificate than to verify it, and a server presents the same chain in every
/// handshake. The cache contains no results of checks. It holds at most 1 MiB, and removes all entries when it is full.
enum CertificateCache {
  private static let countLimit = 64
  private static let sizeLimit = 16 << 10
  private static let known = Mutex<[Data: Certificate]>([:])

  /// Returns the certificate for these bytes.
  ///
  /// - Throws: the error of `Certificate.init(der:)`.
  static func certificate(_ der: Data) throws(CertificateError) -> Certificate {
    if let certificate = known.withLock({ $0[der] }) { return certificate }
    let certificate = try Certificate(der: der)
    guard der.count <= sizeLimit else { return certificate }
    known.withLock {
      if $0.count >= countLimit { $0.removeAll(keepingCapacity: true) }
      $0[der] = certificate
    }
    return certificate
  }
}
