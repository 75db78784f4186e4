import FoundationEssentials
import LupineOpenSSL
import Testing

/// The valid fixtures from which the tests make malformed input.
///
/// This folder is a target of two packages, so the path of the fixtures is derived from the path of this file.
enum Material {
  static let root = "\(folder)/root.pem"

  /// A day on which the valid certificates are valid.
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

  /// Writes bytes to a temporary file and removes the file after `body`.
  static func withFile<Value>(_ bytes: Data, _ body: (String) throws -> Value) throws -> Value {
    let file = FileManager.default.temporaryDirectory.appending(path: "lupine-hostile-\(UUID().uuidString)")
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path())
  }
}
