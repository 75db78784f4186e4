import COpenSSL
import LupineCore
import LupineX509

/// The root certificates of a set of files, read once for all handshakes of the identities that use these files.
///
/// The store is separate from libcurl's. libcurl would share a store that the callback changes with other connections,
/// and it frees its own store with the multi handle.
final class TrustedRoots {
  private let owned: RootStore
  /// Identifies these roots, and distinguishes them from former contents of the same files.
  private let mark = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

  var store: OpaquePointer? { owned.pointer }

  /// - Throws: `LupineError` of kind `configuration` if a file cannot be read.
  init(_ files: [String]) throws(LupineError) {
    do throws(RootsUnreadable) { owned = try RootStore(files: files) } catch {
      throw LupineError.unusable(CertificateBundle.part, "No server can be judged: \(error.description).")
    }
  }

  /// Makes OpenSSL store the mark in each session of this context; false on failure.
  func mark(_ context: OpaquePointer) -> Bool {
    SSL_CTX_set_session_id_context(context, mark, UInt32(mark.count)) == 1
  }

  /// Whether a handshake with exactly these roots created the session.
  func haveJudged(_ session: OpaquePointer) -> Bool {
    var count: UInt32 = 0
    let bytes = SSL_SESSION_get0_id_context(session, &count)
    return mark.elementsEqual(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
