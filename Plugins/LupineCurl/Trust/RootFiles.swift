import LupineCore

/// The files of root certificates that an identity's servers are judged by.
struct RootFiles: Equatable {
  let bundle: String
  private let additional: String?

  init(_ identity: SecurityIdentity, _ configuration: CurlTransport.Configuration) {
    bundle = CertificateBundle.path(identity.certificateAuthorities ?? configuration.certificateAuthorities)
    additional = identity.additionalCertificateAuthorities
  }

  /// - Throws: `LupineError` of kind `configuration` where a file cannot be read.
  func read() throws(LupineError) -> TrustedRoots {
    try CertificateBundle.check(bundle)
    return try TrustedRoots([bundle, additional].compactMap(\.self))
  }
}
