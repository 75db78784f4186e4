import COpenSSL
import FoundationEssentials
import LupineX509

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
