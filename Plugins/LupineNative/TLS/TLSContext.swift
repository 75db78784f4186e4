import COpenSSL
import LupineCore
import LupineTLS
import LupineX509

/// Owns the OpenSSL context of the TLS connections of a loop.
///
/// The connections share it, because creating a context costs a considerable part of a handshake. It holds nothing about
/// a peer: the certificates, the versions, the protocols and the verification belong to each connection, and OpenSSL keeps
/// no session. So connections with different connection keys and trust policies can share the context.
final class TLSContext {
  let pointer: OpaquePointer

  /// - Throws: `LupineError` of kind `configuration` if OpenSSL cannot offer the algorithms, or of kind `tlsFailed`.
  init(_ algorithms: TLSAlgorithms) throws(LupineError) {
    guard let pointer = SSL_CTX_new(TLS_client_method()) else { throw Self.failure }
    self.pointer = pointer
    try OfferedAlgorithms.apply(algorithms, to: pointer)
    lupine_client_prepare(pointer, TLS1_2_VERSION, 0)
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    HandshakeCallbacks.prepare(pointer)
  }

  deinit { SSL_CTX_free(pointer) }

  /// The error for a failed call of OpenSSL, with OpenSSL's reason.
  static var failure: LupineError {
    LupineError(.tlsFailed, "No TLS connection can be created. (\(OpenSSLText.takeError()))")
  }
}
