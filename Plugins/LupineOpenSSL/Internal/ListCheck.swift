import COpenSSL
import FoundationEssentials
import LupineCore

/// Checks a chain against revocation lists (RFC 5280 section 6.3).
struct ListCheck {
  private let trust: ServerTrust
  private let chain: [Certificate]
  private let lists: [RevocationListHandle]

  init(_ judgement: Judgement, _ lists: RevocationLists) {
    trust = judgement.trust
    chain = judgement.chain
    self.lists = lists.handles
  }

  /// Whether current lists confirm that no certificate of the chain except the root is revoked.
  ///
  /// - Throws: `TrustFailure` if a certificate is revoked.
  func isGood() throws(TrustFailure) -> Bool {
    var isGood = chain.count > 1
    for (certificate, issuer) in zip(chain, chain.dropFirst()) {
      if try !isCleared(certificate, by: issuer) { isGood = false }
    }
    return isGood
  }

  private func isCleared(_ certificate: Certificate, by issuer: Certificate) throws(TrustFailure) -> Bool {
    var isCleared = false
    for list in lists where isFrom(issuer.handle.pointer, list) {
      var entry: OpaquePointer?
      // A revocation is permanent, so an outdated list still revokes a certificate.
      if X509_CRL_get0_by_cert(list.pointer, &entry, certificate.handle.pointer) == 1 {
        throw TrustFailure(
          .revocation, trust, certificate, "the certificate is revoked by the list of its issuer",
          advice: "Give the server another certificate.")
      }
      if isCurrent(list) { isCleared = true }
    }
    return isCleared
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
    let now = Int64(trust.now.timeIntervalSince1970)
    var first: Int64 = 0
    var last: Int64 = 0
    guard lupine_seconds(X509_CRL_get0_lastUpdate(list.pointer), &first) == 1, first <= now,
      lupine_seconds(X509_CRL_get0_nextUpdate(list.pointer), &last) == 1, last >= now
    else { return false }
    return true
  }
}
