import HTTPTypes
import LupineCore
import LupineTLS

/// How the TLS connection of a body without length and chunks has ended.
///
/// libcurl does not expose the connection after its end; the handshake records what OpenSSL reports.
struct ClosingTLS {
  /// Whether the session accepts an end without close_notify.
  let isMissingCloseNotifyTolerated: Bool
  /// Whether the error names `missingCloseNotify`, which would accept it.
  let advisesTolerance: Bool
  private let handshake: Handshake?

  /// - Parameter endsAtServer: whether the server ends the connection; false through an HTTPS proxy.
  init(_ connection: OpaquePointer, endsAtServer: Bool, _ context: TransferContext, after head: HTTPResponse) {
    isMissingCloseNotifyTolerated = endsAtServer && context.mayLackCloseNotify(after: head)
    advisesTolerance = endsAtServer && !context.tolerances.contains(.missingCloseNotify)
    handshake = HandshakeCallbacks.handshake(of: connection)
  }

  /// Whether the peer has sent close_notify.
  var hasCloseNotify: Bool { handshake?.hasCloseNotify == true }

  /// Whether the connection has ended after a whole record.
  var isBetweenRecords: Bool { handshake?.wasBetweenRecords == true }
}
