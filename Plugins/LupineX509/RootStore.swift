import COpenSSL

/// Owns a store of trusted certificates.
public struct RootStore: ~Copyable {
  /// The store of OpenSSL.
  public let pointer: OpaquePointer?

  /// A store of nothing yet.
  ///
  /// An intermediate that is put into it is trusted as it stands, without its own issuer.
  public init() {
    pointer = X509_STORE_new()
    X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// The certificates of files in PEM.
  ///
  /// - Throws: `RootsUnreadable` where a file cannot be read.
  public init(files: [String]) throws(RootsUnreadable) {
    self.init()
    for file in files {
      guard X509_STORE_load_file(pointer, file) == 1 else {
        throw RootsUnreadable(
          description: "the root certificates in \(file) cannot be read: \(OpenSSLText.takeError())")
      }
    }
  }

  deinit { X509_STORE_free(pointer) }

  /// Trusts one more certificate.
  public borrowing func add(_ certificate: OpaquePointer) { X509_STORE_add_cert(pointer, certificate) }
}
