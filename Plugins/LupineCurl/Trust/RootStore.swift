import COpenSSL
import LupineCore

/// Owns the trusted certificates of one identity, read once and used by all its handshakes.
///
/// libcurl's own store is not used beside it: what is put there from the callback is handed to other connections.
struct RootStore: ~Copyable {
  let pointer: OpaquePointer?

  /// - Throws: `LupineError` of kind `tlsFailed` where a file cannot be read.
  init(_ files: [String]) throws(LupineError) {
    pointer = X509_STORE_new()
    X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    for file in files {
      guard X509_STORE_load_file(pointer, file) == 1 else {
        let reason = OpenSSLText.takeError()
        throw LupineError(.tlsFailed, "The root certificates in \(file) cannot be read: \(reason).")
      }
    }
  }

  deinit { X509_STORE_free(pointer) }
}
