import COpenSSL
package import FoundationEssentials

/// Certificates of OpenSSL's as the bytes that stand for them.
package enum DER {
  /// A certificate in DER; `nil` where OpenSSL cannot write it.
  package static func certificate(_ certificate: OpaquePointer) -> Data? {
    let size = i2d_X509(certificate, nil)
    guard size > 0 else { return nil }
    var der = Data(count: Int(size))
    let written = der.withUnsafeMutableBytes { bytes in
      var next = bytes.bindMemory(to: UInt8.self).baseAddress
      return i2d_X509(certificate, &next)
    }
    return written == size ? der : nil
  }

  /// The certificates of a list, those left out that OpenSSL cannot write.
  package static func certificates(_ stack: OpaquePointer?) -> [Data] {
    (0..<lupine_certificates_count(stack)).compactMap { index in
      lupine_certificates_at(stack, index).flatMap(certificate)
    }
  }
}
