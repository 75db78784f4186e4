public import FoundationEssentials

/// Certificates from wherever they are kept, and what could not be read of them.
///
/// Making one never throws, so that it can stand where an evaluator is made; what is wrong is told when the session is
/// built. `certificates` is empty then, or lacks what could not be read.
public struct Certificates: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The certificates that were read.
  public let certificates: [Certificate]
  /// What could not be read, and why.
  public let problems: [String]

  init(certificates: [Certificate], problems: [String]) {
    self.certificates = certificates
    self.problems = problems
  }

  /// Takes certificates that have been read.
  public init(_ certificates: [Certificate]) { self.init(certificates: certificates, problems: []) }

  /// Takes certificates that have been read.
  public init(arrayLiteral elements: Certificate...) { self.init(elements) }

  /// Reads bytes in PEM, DER or PKCS#7, which one they tell themselves.
  public init(_ bytes: Data) { self.init(Result { try CertificateReader.read(bytes) }, of: "the certificates") }

  /// Reads a file in PEM, DER or PKCS#7.
  public static func file(_ path: String) -> Certificates {
    Certificates(Result { try CertificateReader.read(try FileContent.read(path)) }, of: path)
  }

  /// Reads every file of a folder whose name ends in `.pem`, `.crt`, `.cer`, `.der`, `.p7b` or `.p7c`; files below it
  /// are left alone, and files without a certificate, such as keys, are passed over.
  ///
  /// A bundle's resources are the folder `Bundle.resourcePath`.
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

  /// Both sides' certificates.
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
