import COpenSSL

/// Owns a store of trusted certificates.
public struct RootStore: ~Copyable {
  /// OpenSSL's store; `nil` if it could not be created.
  public let pointer: OpaquePointer?

  /// Creates an empty store.
  ///
  /// The store trusts an added intermediate certificate without its issuer.
  public init() {
    pointer = X509_STORE_new()
    X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// Creates a store with the certificates of PEM files.
  ///
  /// - Throws: `RootsUnreadable` if a file cannot be read.
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

  /// Adds a trusted certificate.
  public borrowing func add(_ certificate: OpaquePointer) { X509_STORE_add_cert(pointer, certificate) }
}

/// The error for root certificates that cannot be read.
public struct RootsUnreadable: Error {
  /// The reason.
  public let description: String
}
