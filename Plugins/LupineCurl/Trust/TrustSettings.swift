import COpenSSL
import LupineCore

/// How the certificates of one identity's servers are judged.
///
/// Where an evaluator may be asked, or roots come from more than one file, the verification is ours; libcurl's own, with
/// its store that is kept for all connections, does for the rest.
final class TrustSettings {
  /// The files of root certificates.
  let files: [String]
  private let store: RootStore

  var roots: OpaquePointer? { store.pointer }

  init(_ files: [String]) throws(LupineError) {
    self.files = files
    store = try RootStore(files)
  }

  /// Whether the identity needs a verification of our own.
  static func areNeeded(by identity: SecurityIdentity) -> Bool {
    identity.trustPolicy != nil || identity.additionalCertificateAuthorities != nil
  }
}
