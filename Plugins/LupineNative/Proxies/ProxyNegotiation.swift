import HTTPTypes
import LupineCore

/// The messages between the client and a proxy, before the connection leads to the server.
///
/// A negotiation works on bytes and has no connection. The result does not depend on how the bytes are split into
/// pieces.
protocol ProxyNegotiation {
  /// The bytes that the client sends first.
  var opening: [UInt8] { get }
  /// Whether the proxy has refused the server's address, so that another address of the server may succeed.
  var isTargetRefused: Bool { get }

  /// Processes received bytes.
  ///
  /// - Throws: `LupineError`; the connection must be closed.
  mutating func process(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> NegotiationProgress
}

/// The result of processing a proxy's bytes.
struct NegotiationProgress {
  enum Outcome {
    /// The proxy must send more.
    case incomplete
    /// The connection leads to the server; an HTTP proxy said so with this response.
    case open(HTTPResponse?)
    /// An HTTP proxy opens no tunnel, and has sent this response.
    case refused(HTTPResponse)
  }

  /// The bytes to send, before anything else happens.
  var output: [UInt8] = []
  var outcome = Outcome.incomplete
}
