import COpenSSL

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
