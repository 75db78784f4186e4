import COpenSSL
import LupineX509

extension RootStore {
  /// Creates a store with only these certificates.
  init(_ certificates: some Sequence<Certificate>) {
    self.init()
    for certificate in certificates { add(certificate.handle.pointer) }
  }
}
