import COpenSSL
import FoundationEssentials
import LupineCore

/// Checks a client certificate before libcurl uses it.
///
/// libcurl does not distinguish a wrong passphrase from an invalid file.
enum ClientCertificateCheck {
  /// - Throws: `LupineError` of kind `configuration` with the reason.
  static func check(_ certificate: ClientCertificate, now: Date) throws(LupineError) {
    let parts =
      switch certificate.format {
      case .pem: try ClientCertificateParts(pem: certificate)
      case .pkcs12: try ClientCertificateParts(pkcs12: certificate)
      }
    guard X509_check_private_key(parts.certificate, parts.key) == 1 else {
      ERR_clear_error()
      throw failure(certificate, "its key belongs to another certificate")
    }
    var moment = time_t(now.timeIntervalSince1970)
    guard X509_cmp_time(X509_get0_notAfter(parts.certificate), &moment) > 0 else {
      throw failure(certificate, "it has expired")
    }
    guard X509_cmp_time(X509_get0_notBefore(parts.certificate), &moment) < 0 else {
      throw failure(certificate, "it is not valid yet")
    }
  }

  static func failure(_ certificate: ClientCertificate, _ reason: String) -> LupineError {
    .unusable("clientCertificate", "The client certificate \(certificate.path) cannot be used: \(reason).")
  }
}
