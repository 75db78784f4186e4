import Glibc
import LupineCore

/// The files of root certificates that verify the servers of an identity.
struct RootFiles: Equatable {
  let bundle: String
  /// Whether the program set the path of `bundle`.
  private let isNamed: Bool
  private let additional: String?

  init(_ identity: ConnectionKey, _ configuration: CurlTransport.Configuration) {
    let named = identity.certificateAuthorities ?? configuration.certificateAuthorities
    bundle = CertificateBundle.path(named)
    isNamed = named != nil
    additional = identity.additionalCertificateAuthorities
  }

  private var paths: [String] { [bundle, additional].compactMap(\.self) }

  /// The current version of each file; `nil` for a file that cannot be examined.
  var versions: [FileVersion?] { paths.map { FileVersion(path: $0) } }

  /// Whether all files exist and are readable.
  var areReadable: Bool { paths.allSatisfy { access($0, R_OK) == 0 } }

  /// - Throws: `LupineError` of kind `configuration` if a file cannot be read.
  func read() throws(LupineError) -> TrustedRoots {
    try CertificateBundle.check(bundle, isNamed: isNamed)
    return try TrustedRoots(paths)
  }
}
