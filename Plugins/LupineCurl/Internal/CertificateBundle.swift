import Glibc
import LupineCore

/// Finds the file of root certificates.
///
/// It is one file and never a folder: only then does libcurl keep the parsed certificates between connections.
enum CertificateBundle {
  private static let usual = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// The file asked for, else the one `SSL_CERT_FILE` names, else the system's.
  static func path(_ wanted: String?) -> String {
    if let wanted { return wanted }
    if let named = getenv("SSL_CERT_FILE") { return String(cString: named) }
    return usual.first { access($0, R_OK) == 0 } ?? usual[0]
  }

  static func check(_ path: String) throws(LupineError) {
    guard access(path, R_OK) != 0 else { return }
    throw LupineError(
      .tlsFailed,
      "The file of root certificates \(path) cannot be read: \(String(cString: strerror(errno))). "
        + "Install the package ca-certificates, or name a file in SSL_CERT_FILE.")
  }
}
