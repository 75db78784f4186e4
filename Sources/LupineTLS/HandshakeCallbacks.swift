import COpenSSL

/// Forwards OpenSSL's callbacks to the `Handshake` of the connection.
///
/// A connection holds a reference to its `Handshake`, or the `SSL_CTX` of a single connection does. OpenSSL releases the
/// reference when it frees the holder. So the pointers are valid in every call.
public enum HandshakeCallbacks {
  /// The index of the `Handshake` in the extra data of an `SSL_CTX` with a single connection.
  private static let contextIndex = lupine_context_index { _, handshake, _, _, _, _ in
    if let handshake { Unmanaged<Handshake>.fromOpaque(handshake).release() }
  }

  /// The index of the `Handshake` in the extra data of a connection.
  private static let connectionIndex = lupine_connection_index { _, handshake, _, _, _, _ in
    if let handshake { Unmanaged<Handshake>.fromOpaque(handshake).release() }
  }

  /// Forwards the callbacks of the only connection of an `SSL_CTX` to a handshake; false on failure.
  ///
  /// The `SSL_CTX` keeps the handshake. It calls no `sessionArrived`: the owner of the `SSL_CTX` is libcurl, which receives
  /// the sessions with a callback of its own and keeps them itself.
  ///
  /// - Parameter isNested: whether another TLS connection carries this one. A read then goes on after a message of the
  ///   handshake protocol: no event of the socket announces the bytes that the other connection has already read.
  public static func install(_ handshake: Handshake, on context: OpaquePointer, isNested: Bool) -> Bool {
    let isKept = keep(handshake) { contextIndex >= 0 && SSL_CTX_set_ex_data(context, contextIndex, $0) == 1 }
    guard isKept, handshake.roots.setIdentifier(on: context) else { return false }
    setCallbacks(on: context)
    if isNested { lupine_read_on(context) }
    return !handshake.requestsOCSPResponse || lupine_request_staples(context) == 1
  }

  /// Forwards the callbacks of each connection of an `SSL_CTX` to the handshake that `attach(_:to:)` has set.
  ///
  /// The handshake also receives the sessions that the peer offers.
  public static func prepare(_ context: OpaquePointer) {
    setCallbacks(on: context)
    lupine_keep_sessions(context, sessionArrived)
  }

  /// Sets the handshake of a connection, which keeps the handshake; false on failure.
  public static func attach(_ handshake: Handshake, to connection: OpaquePointer) -> Bool {
    let isKept = keep(handshake) { connectionIndex >= 0 && SSL_set_ex_data(connection, connectionIndex, $0) == 1 }
    guard isKept, handshake.roots.setIdentifier(onConnection: connection) else { return false }
    return !handshake.requestsOCSPResponse || lupine_request_staple(connection) == 1
  }

  /// Passes a reference to `hold`, and releases the reference if `hold` returns false.
  private static func keep(_ handshake: Handshake, _ hold: (UnsafeMutableRawPointer) -> Bool) -> Bool {
    let reference = Unmanaged.passRetained(handshake)
    if hold(reference.toOpaque()) { return true }
    reference.release()
    return false
  }

  private static func setCallbacks(on context: OpaquePointer) {
    lupine_limit_work(context, ChainLimits.bytes)
    SSL_CTX_set_info_callback(context, stateChanged)
    SSL_CTX_set_cert_verify_callback(context, verify, nil)
    _ = lupine_receive_staples(context, ocspResponseArrived)
  }

  /// Returns the `Handshake` of a connection.
  public static func handshake(of connection: OpaquePointer) -> Handshake? {
    let held = SSL_get_ex_data(connection, connectionIndex)
    return (held ?? SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), contextIndex)).map {
      Unmanaged<Handshake>.fromOpaque($0).takeUnretainedValue()
    }
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
    if state & alertSent == alertSent, value & 0xFF == SSL_AD_CLOSE_NOTIFY {
      handshake(of: connection)?.wasBetweenRecords = isBetweenRecords(connection)
    }
  }

  private static let alertReceived = SSL_CB_ALERT | SSL_CB_READ
  private static let alertSent = SSL_CB_ALERT | SSL_CB_WRITE

  /// Whether OpenSSL waits for the header of a record, and has no byte of it.
  private static func isBetweenRecords(_ connection: OpaquePointer) -> Bool {
    guard SSL_has_pending(connection) == 0, let state = SSL_rstate_string(connection) else { return false }
    return String(cString: state) == "RH"
  }

  /// Removes a session that libcurl would resume if older root certificates verified it.
  ///
  /// A resumed session skips the verification.
  private static func handshakeStarted(_ connection: OpaquePointer) {
    guard let session = SSL_get_session(connection), let handshake = handshake(of: connection) else { return }
    if !handshake.roots.haveVerified(session) { SSL_set_session(connection, nil) }
  }

  /// Passes a session on, whose reference it takes over.
  private static let sessionArrived: lupine_session_callback = { connection, session in
    guard let connection, let session, let receive = handshake(of: connection)?.sessionArrived else { return 0 }
    receive(TLSSession(owning: session))
    return 1
  }

  private static let verify: lupine_verify_callback = { context, _ in
    guard let context, let handshake = VerifiedChain.connection(context).flatMap(handshake(of:)) else { return 0 }
    return handshake.excludingTime { handshake.verify(context) } ? 1 : 0
  }

  private static let ocspResponseArrived: lupine_status_callback = { connection, _ in
    guard let connection, let handshake = handshake(of: connection) else { return -1 }
    return handshake.excludingTime { handshake.evaluateOCSPResponse(connection) } ? 1 : 0
  }
}
