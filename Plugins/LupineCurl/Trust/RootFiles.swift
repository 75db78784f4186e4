import Glibc
import LupineCore

/// The files of root certificates that an identity's servers are judged by.
struct RootFiles: Equatable {
  let bundle: String
  /// Whether the program has named that one.
  private let isNamed: Bool
  private let additional: String?

  init(_ identity: ConnectionKey, _ configuration: CurlTransport.Configuration) {
    let named = identity.certificateAuthorities ?? configuration.certificateAuthorities
    bundle = CertificateBundle.path(named)
    isNamed = named != nil
    additional = identity.additionalCertificateAuthorities
  }

  private var paths: [String] { [bundle, additional].compactMap(\.self) }

  /// What each of them is like now; `nil` for one that cannot be examined.
  var versions: [FileVersion?] { paths.map { FileVersion(path: $0) } }

  /// Whether all of them are there and may be read.
  var areReadable: Bool { paths.allSatisfy { access($0, R_OK) == 0 } }

  /// - Throws: `LupineError` of kind `configuration` where a file cannot be read.
  func read() throws(LupineError) -> TrustedRoots {
    try CertificateBundle.check(bundle, isNamed: isNamed)
    return try TrustedRoots(paths)
  }
}
