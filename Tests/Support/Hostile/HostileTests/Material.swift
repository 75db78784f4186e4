import FoundationEssentials
import LupineOpenSSL
import Testing

/// The good bytes that bad ones are made of.
///
/// This folder is a target of two packages, so it finds them by itself.
enum Material {
  static let root = "\(folder)/root.pem"

  /// A day on which the good ones are good.
  static let day = Date(timeIntervalSince1970: 1_830_000_000)

  private static let folder =
    #filePath.split(separator: "/").dropLast(5).map { "/\($0)" }.joined()
    + "/Fixtures/Certificates/Trust"

  static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: "\(folder)/\(name)")) }

  static func certificate(_ name: String) throws -> Certificate {
    try #require(Certificates(try data("\(name).pem")).certificates.first)
  }

  /// `valid` and its issuer, in DER.
  static func chain() throws -> [Data] { try ["valid", "intermediate"].map { try certificate($0).der } }

  static func staple() throws -> Data { try data("valid.ocsp.der") }

  /// Writes bytes to a file for as long as they are looked at.
  static func withFile<Value>(_ bytes: Data, _ body: (String) throws -> Value) throws -> Value {
    let file = FileManager.default.temporaryDirectory.appending(path: "lupine-hostile-\(UUID().uuidString)")
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path())
  }
}
