import Glibc
import LupineCore
import LupineX509

/// Finds the file of root certificates.
///
/// It is one file and never a folder: a folder would be searched in each handshake.
enum CertificateBundle {
  /// The part of a session that names it.
  static let part = "certificateAuthorities"

  /// The file asked for, else the one `SSL_CERT_FILE` names, else the system's.
  static func path(_ wanted: String?) -> String { wanted ?? SystemRoots.file }

  static func check(_ path: String) throws(LupineError) {
    guard access(path, R_OK) != 0 else { return }
    throw LupineError.unusable(
      part,
      "The file of root certificates \(path) cannot be read: \(String(cString: strerror(errno))). "
        + "Install the package ca-certificates, or name a file in SSL_CERT_FILE.")
  }
}
