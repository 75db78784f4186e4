/// A certificate with its key, by which a session shows a server who it is.
///
/// The files are read by the transport when it first connects; a file that cannot be read, a passphrase that is wrong and
/// a certificate that has expired are errors of kind `configuration` that say so.
public struct ClientCertificate: Sendable, Hashable {
  /// How the files are written.
  public enum Format: Sendable, Hashable {
    /// The certificate, and those that lead to its root, in PEM; the key in PEM in the same file or one of its own.
    case pem
    /// Certificates and key together in PKCS#12 (RFC 7292).
    case pkcs12
  }

  /// The file of the certificate.
  public let path: String
  /// The file of the private key; `nil` where it stands in the certificate's.
  public let keyPath: String?
  /// What the key, or the PKCS#12 file, is encrypted with.
  public let passphrase: String?
  /// How the files are written.
  public let format: Format

  /// Names a certificate in PEM, and the file of its key where that is another one.
  public static func pem(_ path: String, key: String? = nil, passphrase: String? = nil) -> ClientCertificate {
    ClientCertificate(path: path, keyPath: key, passphrase: passphrase, format: .pem)
  }

  /// Names a file in PKCS#12.
  public static func pkcs12(_ path: String, passphrase: String? = nil) -> ClientCertificate {
    ClientCertificate(path: path, keyPath: nil, passphrase: passphrase, format: .pkcs12)
  }
}

extension ClientCertificate: HidesSecrets {
  /// The file, without the passphrase.
  public var description: String { "client certificate \(path)" }
}
