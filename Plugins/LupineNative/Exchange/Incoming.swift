import LupineCore
import LupineFoundation
import LupineFraming

/// The state of an exchange's response.
struct Incoming {
  /// A head whose body has not begun: it begins at the end of the turn, unless it is complete before.
  var pendingHead: (received: ReceivedHead, source: TransportResponse.Source)?
  /// The content that has arrived with that head.
  var earlyContent = Data()
  /// The number of bytes of `earlyContent` at which the body begins.
  static let maximumEarlySize = 64 << 10
  var writer: ResponseBodyWriter?
  var version: ProtocolVersion?
  /// Whether the sink has no room.
  var isPaused = false
  /// The end of the complete response, while the consumer holds it back and the request is not completely sent.
  var end: ResponseEnd?
  /// Whether the sink has bytes of which a waiting consumer has not been notified.
  var hasUndeliveredBytes = false
  /// The number of bytes of the body that have been passed on.
  var byteCount: Int64 = 0
}
