import FoundationEssentials
import Synchronization

/// Remembers certificates that servers have presented.
///
/// OpenSSL 3.0 takes longer to read a certificate than to verify it, and a server presents the same chain in every
/// handshake. Nothing of a verdict is remembered. At most 1 MiB is kept, and all of it let go when there is no more room.
enum ReadCertificates {
  private static let countLimit = 64
  private static let sizeLimit = 16 << 10
  private static let known = Mutex<[Data: Certificate]>([:])

  /// The certificate that the bytes are.
  ///
  /// - Throws: `CertificateError` as `Certificate.init(der:)` does.
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
