import COpenSSL
import LupineCore
import LupineX509

/// The root certificates of some files, read once and used by all handshakes of the identities that name these files.
///
/// The store is our own: what is put into libcurl's from the callback would be handed to other connections, and what
/// libcurl reads is lost with the multi.
final class TrustedRoots {
  private let owned: RootStore

  var store: OpaquePointer? { owned.pointer }

  /// - Throws: `LupineError` of kind `configuration` where a file cannot be read.
  init(_ files: [String]) throws(LupineError) {
    do throws(RootsUnreadable) { owned = try RootStore(files: files) } catch {
      throw LupineError.unusable(CertificateBundle.part, "No server can be judged: \(error.description).")
    }
  }
}
