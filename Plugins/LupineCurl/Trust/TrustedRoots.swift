import COpenSSL
import LupineCore
import LupineX509

/// The root certificates of some files, read once and used by all handshakes of the identities that name these files.
///
/// The store is our own: what is put into libcurl's from the callback would be handed to other connections, and what
/// libcurl reads is lost with the multi.
final class TrustedRoots {
  private let owned: RootStore
  /// Tells these roots from others, also from what the same files held before.
  private let mark = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

  var store: OpaquePointer? { owned.pointer }

  /// - Throws: `LupineError` of kind `configuration` where a file cannot be read.
  init(_ files: [String]) throws(LupineError) {
    do throws(RootsUnreadable) { owned = try RootStore(files: files) } catch {
      throw LupineError.unusable(CertificateBundle.part, "No server can be judged: \(error.description).")
    }
  }

  /// Has OpenSSL keep with each session of this context by what it was judged; false where that fails.
  func mark(_ context: OpaquePointer) -> Bool {
    SSL_CTX_set_session_id_context(context, mark, UInt32(mark.count)) == 1
  }

  /// Whether a session was made by a handshake that these very roots judged.
  func haveJudged(_ session: OpaquePointer) -> Bool {
    var count: UInt32 = 0
    let bytes = SSL_SESSION_get0_id_context(session, &count)
    return mark.elementsEqual(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
