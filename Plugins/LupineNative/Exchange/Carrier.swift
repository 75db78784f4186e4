import HTTPTypes
import LupineCore
import LupineFraming

/// Carries the messages of one exchange: a connection of its own with HTTP/1.1, or a stream of HTTP/2.
///
/// The carrier moves and frames bytes. The exchange has the request's content and the response's sink. The carrier reports
/// to the exchange, which ends itself and then calls `close`.
protocol Carrier: AnyObject {
  /// Sends the head of the request, and its content unless that waits for 100 (Continue).
  func begin()

  /// Sends content that the reader has, or that no longer waits for 100.
  func resumeSending()

  /// Receives, because the sink has room again.
  func resumeReceiving()

  /// Ends the work for the exchange.
  ///
  /// - Parameters:
  ///   - end: the end of the complete response; `nil` if the exchange has failed.
  ///   - hasTimedOut: whether a timeout ended the exchange.
  func close(_ end: ResponseEnd?, hasTimedOut: Bool)

  /// Whether an exchange that fails with `connectionLost` has lost the whole connection, and not only its stream.
  var isConnectionLost: Bool { get }
}

/// The end of a complete response.
struct ResponseEnd {
  let trailers: HTTPFields?
  /// Whether bytes follow the response on its connection, or the connection is of no further use for another reason.
  var hasSurplus = false
}
