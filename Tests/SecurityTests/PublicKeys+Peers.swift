import LupineFixtures
import LupineOpenSSL

extension PublicKeys {
  /// The key of the servers that speak TLS beside the tests.
  static let ofPeers = certificates(.file(Fixture.path("Certificates/localhost.pem")))
  /// A key that none of them has.
  static let ofNobody = certificates(.file(Fixture.path("Certificates/expired.pem")))
}
