public import LupineCore
import LupineEventLoop
import LupineX509

/// The files of root certificates that verify the servers of a connection key.
public struct RootFiles: Equatable {
  /// The path of the file that replaces the system's, or of the system's.
  public let bundle: String
  /// Whether the program set the path of `bundle`.
  private let isConfigured: Bool
  private let additional: String?

  /// - Parameter fallback: the file for a connection key that names none; `nil` for the system's file.
  public init(_ connectionKey: ConnectionKey, fallback: String?) {
    let configured = connectionKey.certificateAuthorities ?? fallback
    bundle = CertificateBundle.path(configured)
    isConfigured = configured != nil
    additional = connectionKey.additionalCertificateAuthorities
  }

  private var paths: [String] { [bundle, additional].compactMap(\.self) }

  /// The current version of each file; `nil` for a file that cannot be examined.
  var versions: [FileVersion?] { paths.map { FileVersion(path: $0) } }

  /// Whether all files exist and are readable.
  var areReadable: Bool { paths.allSatisfy { FileAccess.readError($0) == nil } }

  /// - Throws: `LupineError` of kind `configuration` if a file cannot be read.
  func read() throws(LupineError) -> TrustedRoots {
    try CertificateBundle.check(bundle, isConfigured: isConfigured)
    return try TrustedRoots(paths)
  }
}

/// Finds the file of root certificates.
///
/// A folder is not supported: OpenSSL would search it in each handshake.
public enum CertificateBundle {
  /// The name of the setting in error messages.
  static let part = "certificateAuthorities"
  private static let additionalPart = "additionalCertificateAuthorities"

  /// Returns one issue for each file of root certificates that a session names and that cannot be read.
  public static func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    let files = [(part, key.certificateAuthorities), (additionalPart, key.additionalCertificateAuthorities)]
    return files.compactMap { part, path in
      guard let path, let reason = readProblem(path) else { return nil }
      return ConfigurationIssue(part: part, reason: reason)
    }
  }

  /// Returns the given path, or else the file that `SSL_CERT_FILE` names, or else the system's file.
  static func path(_ configured: String?) -> String { configured ?? SystemRoots.file }

  /// Returns the reason why a file cannot be read; `nil` if it can.
  static func readProblem(_ path: String) -> String? {
    guard let error = FileAccess.readError(path) else { return nil }
    return "the file of root certificates \(path) cannot be read: \(error.text)"
  }

  /// - Parameter isConfigured: whether the program set the path.
  static func check(_ path: String, isConfigured: Bool) throws(LupineError) {
    guard let problem = readProblem(path) else { return }
    let advice =
      isConfigured
      ? "The program set it with certificateAuthorities."
      : "Install the package ca-certificates, or name a file in SSL_CERT_FILE."
    throw LupineError.unusable(part, "No server certificate can be verified: \(problem). \(advice)")
  }
}
