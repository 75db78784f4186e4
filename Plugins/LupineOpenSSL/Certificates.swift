import COpenSSL
public import LupineFoundation
import LupineX509

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

/// Reads certificates in PEM, DER and PKCS#7.
enum CertificateReader {
  /// - Throws: `CertificateError` if the bytes have none of these formats, or if they contain no certificate although
  ///   `mayBeEmpty` is false.
  static func read(_ bytes: Data, mayBeEmpty: Bool = false) throws(CertificateError) -> [Certificate] {
    let certificates = try found(in: bytes, mayBeEmpty: mayBeEmpty)
    if certificates.isEmpty, !mayBeEmpty { throw CertificateError("there is no certificate in it") }
    return certificates
  }

  private static func found(in bytes: Data, mayBeEmpty: Bool) throws(CertificateError) -> [Certificate] {
    if isPEM(bytes) { return try pem(bytes) }
    if let certificate = try? Certificate(der: bytes) { return [certificate] }
    if let message = bytes.withUnsafeBytes(message) {
      defer { PKCS7_free(message) }
      return X509Stack.certificates(in: lupine_pkcs7_certificates(message))
    }
    if mayBeEmpty { return [] }
    throw CertificateError("it is neither PEM nor a certificate or PKCS#7 in DER")
  }

  static func isPEM(_ bytes: Data) -> Bool { bytes.firstRange(of: Data("-----BEGIN ".utf8)) != nil }

  private static func message(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<PKCS7>? {
    var next = bytes.bindMemory(to: UInt8.self).baseAddress
    defer { ERR_clear_error() }
    return d2i_PKCS7(nil, &next, bytes.count)
  }

  private static func pem(_ bytes: Data) throws(CertificateError) -> [Certificate] {
    if bytes.firstRange(of: Data("-----BEGIN PKCS7-----".utf8)) != nil {
      let message = bytes.withUnsafeBytes { bytes in
        let memory = OpenSSLMemory(reading: bytes)
        return PEM_read_bio_PKCS7(memory.pointer, nil, nil, nil)
      }
      guard let message else { throw CertificateError("its PKCS#7 cannot be read: \(OpenSSLText.takeError())") }
      defer { PKCS7_free(message) }
      return X509Stack.certificates(in: lupine_pkcs7_certificates(message))
    }
    let infos = try PEMInfos(bytes)
    return infos.certificates
  }
}

/// Owns the objects that OpenSSL has read from PEM.
struct PEMInfos: ~Copyable {
  private let pointer: OpaquePointer

  /// - Throws: `CertificateError` if a part is damaged. Encrypted keys are skipped without a prompt.
  init(_ bytes: Data) throws(CertificateError) {
    let infos = bytes.withUnsafeBytes { bytes in
      let memory = OpenSSLMemory(reading: bytes)
      return PEM_X509_INFO_read_bio(memory.pointer, nil, { _, _, _, _ in -1 }, nil)
    }
    guard let infos else { throw CertificateError("its PEM cannot be read: \(OpenSSLText.takeError())") }
    ERR_clear_error()
    pointer = infos
  }

  deinit { lupine_infos_free(pointer) }

  var certificates: [Certificate] {
    (0..<lupine_infos_count(pointer)).compactMap { index in
      lupine_infos_certificate(pointer, index).flatMap { Certificate(copying: $0) }
    }
  }

  /// The revocation lists, in DER.
  var revocationLists: [Data] {
    (0..<lupine_infos_count(pointer)).compactMap { index in
      lupine_infos_revocations(pointer, index).flatMap { list in DER.bytes { i2d_X509_CRL(list, $0) } }
    }
  }
}

/// Reads files of certificates, keys and revocation lists.
enum FileContent {
  /// - Throws: `CertificateError` if the file cannot be read.
  static func read(_ path: String) throws(CertificateError) -> Data {
    do { return try Data(contentsOf: URL(filePath: path)) } catch {
      throw CertificateError(
        "the file cannot be read (\((error as? CocoaError)?.code.rawValue.description ?? "\(error)"))")
    }
  }
}
