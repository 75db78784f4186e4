import LupineFixtures
import LupineOpenSSL

extension PublicKeys {
  /// The public key of the real servers that use TLS.
  static let ofPeers = certificates(.file(Fixture.path("Certificates/localhost.pem")))
  /// A public key that no real server uses.
  static let ofNobody = certificates(.file(Fixture.path("Certificates/expired.pem")))
}
