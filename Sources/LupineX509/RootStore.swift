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

  /// Creates a store with the certificates of PEM files, and with those of the files in folders.
  ///
  /// - Throws: `RootsUnreadable` if a file cannot be read, or if there is none and the folders have no certificate. A file
  ///   of a folder that has none is skipped.
  public init(files: [String], folders: [String] = []) throws(RootsUnreadable) {
    self.init()
    for file in files {
      guard X509_STORE_load_file(pointer, file) == 1 else {
        throw RootsUnreadable(
          description: "the root certificates in \(file) cannot be read: \(OpenSSLText.takeError())")
      }
    }
    let count = SystemRoots.files(in: folders).count { X509_STORE_load_file(pointer, $0) == 1 }
    ERR_clear_error()
    if files.isEmpty, count == 0 {
      let names = folders.joined(separator: ", ")
      throw RootsUnreadable(description: "the folders of root certificates (\(names)) have no readable certificate")
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
