import COpenSSL

/// Owns a session that a later handshake with the same peer may resume (RFC 8446 section 2.2).
public final class TLSSession {
  private let pointer: OpaquePointer

  /// Takes over a reference.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { SSL_SESSION_free(pointer) }

  /// Whether only one handshake may use it, so that observers cannot link connections (RFC 8446 appendix C.4).
  public var isForOneUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

  /// Makes a connection offer the session in its handshake; the peer may refuse it.
  public func offer(on connection: OpaquePointer) { SSL_set_session(connection, pointer) }
}
