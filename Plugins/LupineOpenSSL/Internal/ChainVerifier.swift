import COpenSSL
import FoundationEssentials
import LupineCore
import LupineX509

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
      return try chain.map { der throws(CertificateError) in try ReadCertificates.certificate(der) }
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
        advice: "Mend the server's chain, or trust its root with certificateAuthorities.")
    }
    return try verify(presented, roots()).get()
  }

  private func roots() throws(TrustFailure) -> RootStore {
    let files = [trust.certificateAuthorities ?? SystemRoots.file, trust.additionalCertificateAuthorities]
    do throws(RootsUnreadable) { return try RootStore(files: files.compactMap(\.self)) } catch {
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
    else { return .failure(unreadable("OpenSSL cannot take it: \(OpenSSLText.takeError())")) }
    X509_STORE_CTX_set_default(context, "ssl_server")
    let parameters = X509_STORE_CTX_get0_param(context)
    // Security level 2, OpenSSL's default for TLS on Debian: at least 112 bits, and no SHA-1.
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    X509_VERIFY_PARAM_set_time(parameters, time_t(trust.now.timeIntervalSince1970))
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
      .presentation, trust, nil, reason, advice: "Look at what the server sends: openssl s_client -showcerts.")
  }
}
