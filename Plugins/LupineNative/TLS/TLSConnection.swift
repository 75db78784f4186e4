import COpenSSL
import LupineCore
import LupineTLS
import LupineX509

/// The settings that a TLS connection offers to its peer.
struct TLSOffer {
  /// The name of the peer; an IP address is not sent (RFC 6066 section 3).
  var host: String
  var minimum: TLSVersion?
  var maximum: TLSVersion?
  /// The names of the protocols, the preferred one first (RFC 7301).
  var protocols: [String]
  var clientCertificate: ClientCertificate?
  /// A session that the peer may resume.
  var session: TLSSession?
}

/// Owns an OpenSSL connection, whose callbacks refer to the channel.
struct TLSConnection: ~Copyable {
  let pointer: OpaquePointer

  /// - Throws: `LupineError` of kind `configuration` for an unusable client certificate, or of kind `tlsFailed`.
  init(_ offer: TLSOffer, in context: TLSContext, verifiedBy handshake: Handshake) throws(LupineError) {
    guard let pointer = SSL_new(context.pointer) else { throw TLSContext.failure }
    do throws(LupineError) { try Self.prepare(pointer, offer, handshake) } catch {
      SSL_free(pointer)
      throw error
    }
    self.pointer = pointer
    SSL_set_connect_state(pointer)
    offer.session?.offer(on: pointer)
  }

  deinit { SSL_free(pointer) }

  private static func prepare(
    _ connection: OpaquePointer, _ offer: TLSOffer, _ handshake: Handshake
  ) throws(LupineError) {
    let minimum = offer.minimum == .tls1_3 ? TLS1_3_VERSION : TLS1_2_VERSION
    let maximum = offer.maximum.map { $0 == .tls1_2 ? TLS1_2_VERSION : TLS1_3_VERSION } ?? 0
    if let certificate = offer.clientCertificate {
      try ClientCertificateCheck.present(certificate, on: connection, now: handshake.now)
    }
    let protocols = offer.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    guard lupine_limit_versions(connection, minimum, maximum) == 1,
      SSL_set_alpn_protos(connection, protocols, UInt32(protocols.count)) == 0,
      HandshakeCallbacks.attach(handshake, to: connection)
    else { throw TLSContext.failure }
  }

  /// Sends the name of the server, for its choice of a certificate; false on failure.
  ///
  /// An address is no name (RFC 6066 section 3), also with the zone of an interface.
  borrowing func sendServerName(_ host: String) -> Bool {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return IPAddress(host: name) != nil || lupine_set_server_name(pointer, name) == 1
  }
}
