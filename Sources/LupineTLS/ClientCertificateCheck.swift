import COpenSSL
public import LupineCore
public import LupineFoundation
import LupineSupport
import LupineX509

/// Checks a client certificate before it is used.
///
/// libcurl does not distinguish a wrong passphrase from an invalid file.
public enum ClientCertificateCheck {
  /// - Throws: `LupineError` of kind `configuration` with the reason.
  public static func check(_ certificate: ClientCertificate, now: Date) throws(LupineError) {
    _ = try parts(of: certificate, now: now)
  }

  /// Makes a connection present a client certificate with its chain.
  ///
  /// - Throws: `LupineError` of kind `configuration` with the reason.
  public static func present(
    _ certificate: ClientCertificate, on connection: OpaquePointer, now: Date
  ) throws(LupineError) {
    let parts = try parts(of: certificate, now: now)
    guard SSL_use_cert_and_key(connection, parts.certificate, parts.key, parts.chain, 1) == 1 else {
      throw failure(certificate, OpenSSLText.takeError())
    }
  }

  private static func parts(of certificate: ClientCertificate, now: Date) throws(LupineError) -> ClientCertificateParts
  {
    let parts =
      switch certificate.format {
      case .pem: try ClientCertificateParts(pem: certificate)
      case .pkcs12: try ClientCertificateParts(pkcs12: certificate)
      }
    guard X509_check_private_key(parts.certificate, parts.key) == 1 else {
      ERR_clear_error()
      throw failure(certificate, "its key belongs to another certificate")
    }
    var moment = time_t(saturating: now.timeIntervalSince1970)
    guard X509_cmp_time(X509_get0_notAfter(parts.certificate), &moment) > 0 else {
      throw failure(certificate, "it has expired")
    }
    guard X509_cmp_time(X509_get0_notBefore(parts.certificate), &moment) < 0 else {
      throw failure(certificate, "it is not valid yet")
    }
    return parts
  }

  static func failure(_ certificate: ClientCertificate, _ reason: String) -> LupineError {
    .unusable("clientCertificate", "The client certificate \(certificate.path) cannot be used: \(reason).")
  }
}

/// Owns a client certificate, its key and the certificates of its authorities.
struct ClientCertificateParts: ~Copyable {
  let certificate: OpaquePointer
  let key: OpaquePointer
  /// A list of the certificates after the first one.
  let chain: OpaquePointer?

  deinit {
    lupine_certificates_free(chain)
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  init(pem source: ClientCertificate) throws(LupineError) {
    let text = try Self.read(source.path, source)
    guard let (certificate, chain) = text.with(Self.certificates) else {
      throw ClientCertificateCheck.failure(source, "it contains no certificate in PEM")
    }
    do throws(LupineError) {
      key = try Self.key(source, source.keyPath == nil ? text : try Self.read(source.keyPath ?? "", source))
    } catch {
      X509_free(certificate)
      lupine_certificates_free(chain)
      throw error
    }
    self.certificate = certificate
    self.chain = chain
  }

  /// Reads the certificates of a PEM file; `nil` if there is none.
  private static func certificates(_ memory: OpaquePointer?) -> (OpaquePointer, chain: OpaquePointer?)? {
    // The end of the file stays in OpenSSL's error queue.
    defer { ERR_clear_error() }
    guard let certificate = PEM_read_bio_X509(memory, nil, nil, nil) else { return nil }
    let chain = lupine_certificates_new()
    while let authority = PEM_read_bio_X509(memory, nil, nil, nil) {
      _ = lupine_certificates_add(chain, authority)
      X509_free(authority)
    }
    return (certificate, chain)
  }

  init(pkcs12 source: ClientCertificate) throws(LupineError) {
    let bytes = try Self.read(source.path, source)
    guard let message = bytes.with({ d2i_PKCS12_bio($0, nil) }) else {
      ERR_clear_error()
      throw ClientCertificateCheck.failure(source, "it is not PKCS#12")
    }
    defer { PKCS12_free(message) }
    let passphrase = source.passphrase ?? ""
    guard PKCS12_verify_mac(message, passphrase, Int32(passphrase.utf8.count)) == 1 else {
      ERR_clear_error()
      throw ClientCertificateCheck.failure(source, "the passphrase is wrong")
    }
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var chain: OpaquePointer?
    guard PKCS12_parse(message, passphrase, &key, &certificate, &chain) == 1, let key, let certificate else {
      EVP_PKEY_free(key)
      X509_free(certificate)
      lupine_certificates_free(chain)
      throw ClientCertificateCheck.failure(source, "it lacks a certificate or a key: \(OpenSSLText.takeError())")
    }
    self.key = key
    self.certificate = certificate
    self.chain = chain
  }

  private static func key(_ source: ClientCertificate, _ bytes: [UInt8]) throws(LupineError) -> OpaquePointer {
    let passphrase = source.passphrase ?? ""
    let key = bytes.with { memory in
      // Without a callback, OpenSSL uses this text as the passphrase. An empty text prevents a prompt on the terminal.
      passphrase.withCString { PEM_read_bio_PrivateKey(memory, nil, nil, UnsafeMutableRawPointer(mutating: $0)) }
    }
    if let key { return key }
    let reason = OpenSSLText.takeError()
    let isEncrypted = String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
    throw ClientCertificateCheck.failure(
      source, isEncrypted ? "the passphrase of its key is wrong" : "its key cannot be read: \(reason)")
  }

  private static func read(_ path: String, _ source: ClientCertificate) throws(LupineError) -> [UInt8] {
    do { return [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
      throw ClientCertificateCheck.failure(source, "the file \(path) cannot be read")
    }
  }
}

extension [UInt8] {
  /// Calls `body` with a memory BIO that reads the bytes.
  fileprivate func with<Value>(_ body: (OpaquePointer?) -> Value) -> Value {
    withUnsafeBytes { bytes in
      let memory = OpenSSLMemory(reading: bytes)
      return body(memory.pointer)
    }
  }
}
