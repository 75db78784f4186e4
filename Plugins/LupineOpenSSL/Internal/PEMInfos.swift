import COpenSSL
import FoundationEssentials
import LupineX509

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
