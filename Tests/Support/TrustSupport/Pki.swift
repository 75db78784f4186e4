package import FoundationEssentials
import LupineFixtures
package import LupineOpenSSL
import Testing

/// The certificates of `Fixtures/Certificates/Trust`.
package enum Pki {
  package static let root = path("root.pem")
  package static let otherRoot = path("other-root.pem")
  /// The passphrase of the encrypted private keys; no path contains it.
  package static let passphrase = "Kq7vXo2mZt9RwB4u"

  package static func path(_ name: String) -> String { Fixture.path("Certificates/Trust/\(name)") }

  package static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

  /// The certificates of a PEM file, in DER.
  package static func chain(_ name: String) throws -> [Data] {
    let read = Certificates.file(path("\(name).chain.pem"))
    try #require(read.problems == [])
    return read.certificates.map(\.der)
  }

  package static func certificate(_ name: String) throws -> Certificate {
    try #require(Certificates.file(path("\(name).pem")).certificates.first)
  }

  package static func pin(_ name: String) throws -> String { try certificate(name).publicKeyPin.description }

  package static func staple(_ name: String) throws -> Data { try data("\(name).ocsp.der") }

  /// A day on which the valid certificates are valid.
  package static let day = Date(timeIntervalSince1970: 1_830_000_000)
}
