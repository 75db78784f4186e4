#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds the system's root certificates.
public enum SystemRoots {
  private static let usual = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// The file that `SSL_CERT_FILE` names, or else the first readable one of the usual files.
  public static var file: String {
    if let named = getenv("SSL_CERT_FILE") { return String(cString: named) }
    return usual.first { access($0, R_OK) == 0 } ?? usual[0]
  }
}
