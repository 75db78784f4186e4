import Glibc
public import LupineCore
import LupineX509

/// Finds the file of root certificates.
///
/// It is one file and never a folder: a folder would be searched in each handshake.
enum CertificateBundle {
  /// The part of a session that names it.
  static let part = "certificateAuthorities"

  /// The file asked for, else the one `SSL_CERT_FILE` names, else the system's.
  static func path(_ wanted: String?) -> String { wanted ?? SystemRoots.file }

  /// Why a file cannot be read; `nil` where it can.
  static func problem(_ path: String) -> String? {
    guard access(path, R_OK) != 0 else { return nil }
    return "the file of root certificates \(path) cannot be read: \(String(cString: strerror(errno)))"
  }

  /// - Parameter isNamed: whether the program has named the file, and nobody else.
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
  /// The files of root certificates that a session names and that cannot be read.
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
