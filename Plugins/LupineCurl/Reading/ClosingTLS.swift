import HTTPTypes
import LupineCore
import LupineTLS

/// Shows how a TLS connection has ended whose end delimits a body.
///
/// libcurl does not expose the connection after its end; the handshake records what OpenSSL reports.
struct ClosingTLS {
  /// Whether the session tolerates an end without close_notify.
  let mayLackCloseNotify: Bool
  /// Whether the session could tolerate it, and does not.
  let isTolerable: Bool
  private let handshake: Handshake?

  /// - Parameter isOwn: whether the connection is the server's, and not that of a proxy or within one.
  init(_ connection: OpaquePointer, isOwn: Bool, _ context: TransferContext, after head: HTTPResponse) {
    mayLackCloseNotify = isOwn && context.mayLackCloseNotify(after: head)
    isTolerable = isOwn && !context.tolerances.contains(.missingCloseNotify)
    handshake = HandshakeCallbacks.handshake(of: connection)
  }

  /// Whether the peer has sent close_notify.
  var hasCloseNotify: Bool { handshake?.hasCloseNotify == true }

  /// Whether the connection has ended after a whole record.
  var isBetweenRecords: Bool { handshake?.wasBetweenRecords == true }
}
