/// A certificate with its private key that authenticates a session to a server.
///
/// The transport reads the files when it first connects. An unreadable file, a wrong passphrase and an expired
/// certificate are errors of kind `configuration`.
public struct ClientCertificate: Sendable, Hashable {
  /// The format of the files.
  public enum Format: Sendable, Hashable {
    /// The certificate and its chain in PEM; the key in PEM in the same file or in its own file.
    case pem
    /// The certificates and the key together in PKCS#12 (RFC 7292).
    case pkcs12
  }

  /// The path of the certificate file.
  public let path: String
  /// The path of the private key file; `nil` if the certificate file contains the key.
  public let keyPath: String?
  /// The passphrase of the key or of the PKCS#12 file.
  public let passphrase: String?
  /// The format of the files.
  public let format: Format

  /// Creates a certificate from a PEM file, and from a key file if the key is in a separate file.
  public static func pem(_ path: String, key: String? = nil, passphrase: String? = nil) -> ClientCertificate {
    ClientCertificate(path: path, keyPath: key, passphrase: passphrase, format: .pem)
  }

  /// Creates a certificate from a PKCS#12 file.
  public static func pkcs12(_ path: String, passphrase: String? = nil) -> ClientCertificate {
    ClientCertificate(path: path, keyPath: nil, passphrase: passphrase, format: .pkcs12)
  }
}

extension ClientCertificate: HidesSecrets {
  /// The path of the file, without the passphrase.
  public var description: String { "client certificate \(path)" }
}
