public import FoundationEssentials

/// Certificates from files or bytes, and the problems with reading them.
///
/// Reading never throws, so that the value can be written inside an expression that creates an evaluator.
/// `Session.Builder.build()` reports the problems. The items that cannot be read are missing in `certificates`.
public struct Certificates: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The certificates that were read.
  public let certificates: [Certificate]
  /// The items that cannot be read, with the reasons.
  public let problems: [String]

  init(certificates: [Certificate], problems: [String]) {
    self.certificates = certificates
    self.problems = problems
  }

  /// Wraps certificates that have been read.
  public init(_ certificates: [Certificate]) { self.init(certificates: certificates, problems: []) }

  /// Wraps certificates that have been read.
  public init(arrayLiteral elements: Certificate...) { self.init(elements) }

  /// Reads bytes in PEM, DER or PKCS#7; the format is detected.
  public init(_ bytes: Data) { self.init(Result { try CertificateReader.read(bytes) }, of: "the certificates") }

  /// Reads a file in PEM, DER or PKCS#7.
  public static func file(_ path: String) -> Certificates {
    Certificates(Result { try CertificateReader.read(try FileContent.read(path)) }, of: path)
  }

  /// Reads the certificate files of a folder.
  ///
  /// These are the files whose names end in `.pem`, `.crt`, `.cer`, `.der`, `.p7b` or `.p7c`. Subfolders and files
  /// without a certificate, such as keys, are ignored. The folder of a bundle's resources is `Bundle.resourcePath`.
  public static func folder(_ path: String) -> Certificates {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
      return Certificates(certificates: [], problems: ["the folder \(path) cannot be read: \(error)"])
    }
    let endings = [".pem", ".crt", ".cer", ".der", ".p7b", ".p7c"]
    let files = names.filter { name in endings.contains { name.lowercased().hasSuffix($0) } }
    let parts = files.map { name in
      Certificates(
        Result { try CertificateReader.read(try FileContent.read("\(path)/\(name)"), mayBeEmpty: true) },
        of: "\(path)/\(name)")
    }
    let joined = parts.reduce(Certificates([]), +)
    guard joined.certificates.isEmpty, joined.problems.isEmpty else { return joined }
    return Certificates(certificates: [], problems: ["the folder \(path) has no certificates"])
  }

  /// Returns the certificates and the problems of both sides.
  public static func + (left: Certificates, right: Certificates) -> Certificates {
    Certificates(certificates: left.certificates + right.certificates, problems: left.problems + right.problems)
  }

  private init(_ result: Result<[Certificate], any Error>, of name: String) {
    switch result {
    case .success(let certificates): self.init(certificates)
    case .failure(let error): self.init(certificates: [], problems: ["\(name): \(error)"])
    }
  }
}
