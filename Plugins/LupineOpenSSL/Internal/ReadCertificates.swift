import FoundationEssentials
import Synchronization

/// Caches parsed certificates of servers.
///
/// OpenSSL 3.0 takes longer to parse a certificate than to verify it, and a server presents the same chain in every
/// handshake. The cache contains no results of checks. It holds at most 1 MiB, and removes all entries when it is full.
enum ReadCertificates {
  private static let countLimit = 64
  private static let sizeLimit = 16 << 10
  private static let known = Mutex<[Data: Certificate]>([:])

  /// Returns the certificate for these bytes.
  ///
  /// - Throws: the error of `Certificate.init(der:)`.
  static func certificate(_ der: Data) throws(CertificateError) -> Certificate {
    if let certificate = known.withLock({ $0[der] }) { return certificate }
    let certificate = try Certificate(der: der)
    guard der.count <= sizeLimit else { return certificate }
    known.withLock {
      if $0.count >= countLimit { $0.removeAll(keepingCapacity: true) }
      $0[der] = certificate
    }
    return certificate
  }
}
