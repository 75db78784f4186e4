import COpenSSL
import LupineX509

extension RootStore {
  /// A store of just these.
  init(_ certificates: some Sequence<Certificate>) {
    self.init()
    for certificate in certificates { add(certificate.handle.pointer) }
  }
}
