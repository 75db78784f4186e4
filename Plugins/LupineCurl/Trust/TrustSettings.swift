import COpenSSL
import LupineCore
import LupineX509

/// The roots that one identity's servers are judged by, read once and used by all its handshakes.
///
/// Where an evaluator may be asked, or roots come from more than one file, the verification is ours, with a store of our
/// own: what is put into libcurl's from the callback would be handed to other connections.
final class TrustSettings {
  private let store: RootStore

  var roots: OpaquePointer? { store.pointer }

  /// - Throws: `LupineError` of kind `tlsFailed` where a file cannot be read.
  init(_ files: [String]) throws(LupineError) {
    do throws(RootsUnreadable) { store = try RootStore(files: files) } catch {
      throw LupineError(.tlsFailed, "No server can be judged: \(error.description).")
    }
  }

  /// Whether the identity needs a verification of our own.
  static func areNeeded(by identity: SecurityIdentity) -> Bool {
    identity.trustPolicy != nil || identity.additionalCertificateAuthorities != nil
  }
}
