import COpenSSL

/// Owns a list of OpenSSL's certificates.
struct X509Stack: ~Copyable {
  let pointer: OpaquePointer?

  init() { pointer = lupine_certificates_new() }

  /// Takes ownership of the list.
  init(owning pointer: OpaquePointer?) { self.pointer = pointer }

  /// Creates a list of these certificates.
  init(_ certificates: some Sequence<Certificate>) {
    self.init()
    for certificate in certificates { lupine_certificates_add(pointer, certificate.handle.pointer) }
  }

  deinit { lupine_certificates_free(pointer) }

  var certificates: [Certificate] { Self.certificates(in: pointer) }

  /// Copies the certificates of a list without ownership of it.
  static func certificates(in stack: OpaquePointer?) -> [Certificate] {
    (0..<lupine_certificates_count(stack)).compactMap { index in
      lupine_certificates_at(stack, index).flatMap { Certificate(copying: $0) }
    }
  }
}
