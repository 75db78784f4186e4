import COpenSSL
import LupineCore
import LupineX509

extension TLSDetails {
  /// Reads the details of an OpenSSL connection.
  init(_ connection: OpaquePointer) {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(connection, &bytes, &count)
    let agreed = bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
    self.init(
      version: SSL_get_version(connection).map { String(cString: $0) } ?? "",
      cipher: lupine_cipher(connection).map { String(cString: $0) } ?? "", applicationProtocol: agreed,
      peerCertificates: DER.certificates(SSL_get_peer_cert_chain(connection)))
  }
}
