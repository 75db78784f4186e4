import CLibcurl
import COpenSSL

/// Forwards OpenSSL's callbacks to the `Handshake` of the connection.
///
/// The `SSL_CTX` holds a reference to the `Handshake`. The reference is released when the `SSL_CTX` is freed, after the
/// end of the connection. So the pointers are valid in every call.
enum HandshakeCallbacks {
  /// The index of the `Handshake` in the extra data of each `SSL_CTX`.
  private static let index = lupine_context_index { _, handshake, _, _, _, _ in
    if let handshake { Unmanaged<Handshake>.fromOpaque(handshake).release() }
  }

  /// Whether OpenSSL can store a `Handshake` in an `SSL_CTX`.
  static var isReady: Bool { index >= 0 }

  /// Makes OpenSSL call `handshake` back for the connection of an `SSL_CTX`, which keeps the handshake.
  static func install(_ handshake: Handshake, on context: UnsafeMutableRawPointer) -> CURLcode {
    let connection = OpaquePointer(context)
    let reference = Unmanaged.passRetained(handshake)
    guard SSL_CTX_set_ex_data(connection, index, reference.toOpaque()) == 1 else {
      reference.release()
      return CURLE_OUT_OF_MEMORY
    }
    guard handshake.roots.setIdentifier(on: connection) else { return CURLE_SSL_CONNECT_ERROR }
    SSL_CTX_set_info_callback(connection, stateChanged)
    SSL_CTX_set_cert_verify_callback(connection, verify, reference.toOpaque())
    if handshake.requestsOCSPResponse, lupine_request_staple(connection, ocspResponseArrived, reference.toOpaque()) != 1
    {
      return CURLE_SSL_CONNECT_ERROR
    }
    return CURLE_OK
  }

  /// Returns the `Handshake` of a connection.
  static func handshake(of connection: OpaquePointer) -> Handshake? {
    handshake(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), index))
  }

  /// Receives the start of handshakes and the alerts.
  private static let stateChanged: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = {
    connection, state, value in
    guard let connection else { return }
    if state & SSL_CB_HANDSHAKE_START != 0 { handshakeStarted(connection) }
    // The high byte is the alert's level, the low byte its description.
    if state & alertReceived == alertReceived, value & 0xFF == SSL_AD_CLOSE_NOTIFY {
      handshake(of: connection)?.hasCloseNotify = true
    }
  }

  private static let alertReceived = SSL_CB_ALERT | SSL_CB_READ

  /// Removes a session that libcurl would resume if older root certificates verified it.
  ///
  /// A resumed session skips the verification.
  private static func handshakeStarted(_ connection: OpaquePointer) {
    guard let session = SSL_get_session(connection), let handshake = handshake(of: connection) else { return }
    if !handshake.roots.haveVerified(session) { SSL_set_session(connection, nil) }
  }

  private static let verify: lupine_verify_callback = { context, argument in
    guard let context, let handshake = handshake(argument) else { return 0 }
    return handshake.watchdog.excludingTime { handshake.verify(context) } ? 1 : 0
  }

  private static let ocspResponseArrived: lupine_status_callback = { connection, argument in
    guard let connection, let handshake = handshake(argument) else { return -1 }
    return handshake.watchdog.excludingTime { handshake.evaluateOCSPResponse(connection) } ? 1 : 0
  }

  private static func handshake(_ argument: UnsafeMutableRawPointer?) -> Handshake? {
    argument.map { Unmanaged<Handshake>.fromOpaque($0).takeUnretainedValue() }
  }
}
