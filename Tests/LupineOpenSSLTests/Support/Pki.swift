import FoundationEssentials
import LupineCore
import LupineFixtures
import LupineMock
import LupineOpenSSL
import Testing

/// The certificates of `Fixtures/Certificates/Trust`.
enum Pki {
  static let root = path("root.pem")
  static let otherRoot = path("other-root.pem")

  static func path(_ name: String) -> String { Fixture.path("Certificates/Trust/\(name)") }

  static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

  /// The certificates of a PEM file, in DER.
  static func chain(_ name: String) throws -> [Data] {
    let read = Certificates.file(path("\(name).chain.pem"))
    try #require(read.problems == [])
    return read.certificates.map(\.der)
  }

  static func certificate(_ name: String) throws -> Certificate {
    try #require(Certificates.file(path("\(name).pem")).certificates.first)
  }

  static func pin(_ name: String) throws -> String { try certificate(name).publicKeyPin.description }

  static func staple(_ name: String) throws -> Data { try data("\(name).ocsp.der") }

  /// A day on which the good ones are good.
  static let day = Date(timeIntervalSince1970: 1_830_000_000)
}

/// What hears of the warnings of a session.
final class WarningLog: EventMonitor {
  private let texts = Locked<[String]>([])

  var all: [String] { texts.value }

  func receive(_ event: SessionEvent) {
    if case .warning(let text) = event.kind { texts.change { $0.append(text) } }
  }
}
