import COpenSSL
import LupineCore
import LupineFoundation
import LupineSupport
import LupineX509

/// Checks the OCSP response that a server stapled (RFC 6960).
struct OCSPCheck {
  /// The tolerated clock difference, in seconds.
  private static let skew: Int64 = 300
  private static let sizeLimit = 64 << 10

  private let trust: ServerTrust
  private let leaf: Certificate
  private let issuer: Certificate

  init(_ evaluation: TrustEvaluation) {
    trust = evaluation.trust
    leaf = evaluation.chain[0]
    issuer = evaluation.chain.count > 1 ? evaluation.chain[1] : evaluation.chain[0]
  }

  /// Whether the response confirms that the certificate is not revoked; false if there is no response and none is
  /// required.
  ///
  /// - Throws: `TrustFailure` if the certificate is revoked, if a required response is missing, or if the response
  ///   cannot be used.
  func confirmsStatus() throws(TrustFailure) -> Bool {
    guard let bytes = trust.stapledOCSPResponse else {
      guard leaf.demandsStapledOCSPResponse else { return false }
      throw failure("the certificate demands a stapled OCSP response, and the server sent none")
    }
    guard bytes.count <= Self.sizeLimit, let response = Self.parse(bytes) else {
      throw failure("the stapled OCSP response cannot be read")
    }
    defer { OCSP_RESPONSE_free(response) }
    let status = OCSP_response_status(response)
    guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL, let basic = OCSP_response_get1_basic(response) else {
      ERR_clear_error()
      throw failure("the OCSP responder answered \(String(cString: OCSP_response_status_str(Int(status))))")
    }
    defer { OCSP_BASICRESP_free(basic) }
    try verifySignature(of: basic)
    try findStatus(in: basic)
    return true
  }

  /// Checks that the issuer signed the response, or a signer that the issuer has certified for OCSP.
  private func verifySignature(of response: OpaquePointer) throws(TrustFailure) {
    let store = RootStore([issuer])
    X509_VERIFY_PARAM_set_time(
      X509_STORE_get0_param(store.pointer), time_t(saturating: trust.now.timeIntervalSince1970))
    let others = X509Stack([issuer])
    guard OCSP_basic_verify(response, others.pointer, store.pointer, 0) == 1 else {
      throw failure(
        "the stapled OCSP response is not signed by its issuer or a certified signer: \(OpenSSLText.takeError())")
    }
  }

  private func findStatus(in response: OpaquePointer) throws(TrustFailure) {
    // The response identifies the certificate with a digest that the responder chose; most responders use SHA-1 (RFC
    // 5019).
    for digest in [EVP_sha1(), EVP_sha256()] {
      guard let id = OCSP_cert_to_id(digest, leaf.handle.pointer, issuer.handle.pointer) else { continue }
      defer { OCSP_CERTID_free(id) }
      var status: Int32 = 0
      var reason: Int32 = 0
      var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      guard OCSP_resp_find_status(response, id, &status, &reason, &revoked, &this, &next) == 1 else { continue }
      try checkTimes(this, next)
      if status == V_OCSP_CERTSTATUS_GOOD { return }
      guard status == V_OCSP_CERTSTATUS_REVOKED else { throw failure("the responder does not know the certificate") }
      let why = reason >= 0 ? " (\(String(cString: OCSP_crl_reason_str(Int(reason)))))" : ""
      throw failure("the certificate is revoked\(why)")
    }
    ERR_clear_error()
    throw failure("the stapled OCSP response is about another certificate")
  }

  private func checkTimes(
    _ this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?, _ next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
  ) throws(TrustFailure) {
    let now = Int64(saturating: trust.now.timeIntervalSince1970)
    var first: Int64 = 0
    var last: Int64 = 0
    guard lupine_seconds(this, &first) == 1, first - Self.skew <= now else {
      throw failure("the stapled OCSP response is from the future")
    }
    // A response without `nextUpdate` has no expiry, so as a stapled response it would be valid forever.
    guard let next, lupine_seconds(next, &last) == 1, last + Self.skew >= now else {
      throw failure("the stapled OCSP response is out of date")
    }
  }

  private func failure(_ reason: String) -> TrustFailure {
    TrustFailure(
      .revocation, trust, leaf, reason, advice: "Renew the server's certificate, or the response that it staples.")
  }

  private static func parse(_ bytes: Data) -> OpaquePointer? {
    DER.read(bytes, by: { d2i_OCSP_RESPONSE(nil, $0, $1) }, free: { OCSP_RESPONSE_free($0) })
  }
}

/// Checks a chain against revocation lists (RFC 5280 section 6.3).
struct RevocationListCheck {
  private let trust: ServerTrust
  private let chain: [Certificate]
  private let lists: [RevocationListHandle]

  init(_ evaluation: TrustEvaluation, _ lists: RevocationLists) {
    trust = evaluation.trust
    chain = evaluation.chain
    self.lists = lists.handles
  }

  /// Whether current lists confirm that no certificate of the chain except the root is revoked.
  ///
  /// - Throws: `TrustFailure` if a certificate is revoked.
  func confirmsStatus() throws(TrustFailure) -> Bool {
    var areAllConfirmed = chain.count > 1
    for (certificate, issuer) in zip(chain, chain.dropFirst()) {
      if try !isConfirmed(certificate, by: issuer) { areAllConfirmed = false }
    }
    return areAllConfirmed
  }

  private func isConfirmed(_ certificate: Certificate, by issuer: Certificate) throws(TrustFailure) -> Bool {
    var isConfirmed = false
    for list in lists where isFrom(issuer.handle.pointer, list) {
      var entry: OpaquePointer?
      // A revocation is permanent, so an outdated list still revokes a certificate.
      if X509_CRL_get0_by_cert(list.pointer, &entry, certificate.handle.pointer) == 1 {
        throw TrustFailure(
          .revocation, trust, certificate, "the certificate is revoked by the list of its issuer",
          advice: "Give the server another certificate.")
      }
      if isCurrent(list) { isConfirmed = true }
    }
    return isConfirmed
  }

  private func isFrom(_ authority: OpaquePointer, _ list: RevocationListHandle) -> Bool {
    defer { ERR_clear_error() }
    guard X509_NAME_cmp(X509_CRL_get_issuer(list.pointer), X509_get_subject_name(authority)) == 0,
      X509_get_key_usage(authority) & UInt32(KU_CRL_SIGN) != 0,
      lupine_is_plain_revocation_list(list.pointer) == 1,
      let key = X509_get0_pubkey(authority)
    else { return false }
    return X509_CRL_verify(list.pointer, key) == 1
  }

  private func isCurrent(_ list: RevocationListHandle) -> Bool {
    let now = Int64(saturating: trust.now.timeIntervalSince1970)
    var first: Int64 = 0
    var last: Int64 = 0
    guard lupine_seconds(X509_CRL_get0_lastUpdate(list.pointer), &first) == 1, first <= now,
      lupine_seconds(X509_CRL_get0_nextUpdate(list.pointer), &last) == 1, last >= now
    else { return false }
    return true
  }
}
