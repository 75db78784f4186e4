import Glibc
public import LupineCore
import LupineX509

/// Finds the file of root certificates.
///
/// A folder is not supported: OpenSSL would search it in each handshake.
enum CertificateBundle {
  /// The name of the setting in error messages.
  static let part = "certificateAuthorities"

  /// Returns the given path, or else the file that `SSL_CERT_FILE` names, or else the system's file.
  static func path(_ wanted: String?) -> String { wanted ?? SystemRoots.file }

  /// Returns the reason why a file cannot be read; `nil` if it can.
  static func problem(_ path: String) -> String? {
    guard access(path, R_OK) != 0 else { return nil }
    return "the file of root certificates \(path) cannot be read: \(String(cString: strerror(errno)))"
  }

  /// - Parameter isNamed: whether the program set the path.
  static func check(_ path: String, isNamed: Bool) throws(LupineError) {
    guard let problem = problem(path) else { return }
    let advice =
      isNamed
      ? "The program named it, by certificateAuthorities."
      : "Install the package ca-certificates, or name a file in SSL_CERT_FILE."
    throw LupineError.unusable(part, "No server can be judged: \(problem). \(advice)")
  }
}

extension CurlTransport {
  /// Returns one issue for each file of root certificates that the session names and that cannot be read.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    let files = [
      ("certificateAuthorities", key.certificateAuthorities),
      ("additionalCertificateAuthorities", key.additionalCertificateAuthorities),
    ]
    return files.compactMap { part, path in
      guard let path, let reason = CertificateBundle.problem(path) else { return nil }
      return ConfigurationIssue(part: part, reason: reason)
    }
  }
}
