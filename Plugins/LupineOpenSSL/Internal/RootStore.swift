import COpenSSL
import FoundationEssentials

/// Owns a store of trusted certificates.
struct RootStore: ~Copyable {
  let pointer: OpaquePointer?

  /// A store of just these.
  init(_ certificates: some Sequence<Certificate>) {
    pointer = X509_STORE_new()
    for certificate in certificates {
      if let handle = X509Handle(der: certificate.der) { X509_STORE_add_cert(pointer, handle.pointer) }
    }
    X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// The roots of files in PEM, of the system's where there is no first one.
  ///
  /// - Throws: `CertificateError` where a file cannot be read.
  init(file: String?, additional: String?) throws(CertificateError) {
    pointer = X509_STORE_new()
    X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    for path in [file ?? Self.systemFile, additional].compactMap({ $0 }) {
      guard X509_STORE_load_file(pointer, path) == 1 else {
        throw CertificateError("the root certificates in \(path) cannot be read: \(OpenSSLText.takeError())")
      }
    }
  }

  deinit { X509_STORE_free(pointer) }

  private static var systemFile: String {
    let usual = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
      "/etc/ssl/cert.pem",
    ]
    if let named = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] { return named }
    return usual.first { FileManager.default.isReadableFile(atPath: $0) } ?? usual[0]
  }
}
