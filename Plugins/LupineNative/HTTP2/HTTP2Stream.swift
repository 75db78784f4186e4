import HTTPTypes
import LupineCore
import LupineFraming

/// Receives what a session reads for a stream, and supplies the request's content.
///
/// The session calls it while it reads or composes frames. The user may then call the session's methods for streams, but
/// neither `receive` nor `composeOutput`.
protocol HTTP2StreamUser: AnyObject {
  func streamReceived(interim head: HTTPResponse)
  func streamReceived(head: ReceivedHead)
  /// Content has arrived; `HTTP2Session.consume` returns its window to the peer.
  func streamReceived(content: UnsafeRawBufferPointer)
  /// The response is complete.
  func streamEnded(trailers: HTTPFields?)
  /// The stream is over although the response is not complete, or the request is not completely sent.
  ///
  /// - Parameter error: `nil` if the response is complete.
  func streamClosed(_ error: LupineError?)
  /// The head of the request has been composed.
  func streamSentHead()
  /// The end of the request has been composed.
  func streamSentEnd()
  /// Reads the next piece of the request's content.
  func streamContent(into space: UnsafeMutableRawBufferPointer) -> HTTP2Content
}

/// The next piece of a request's content.
enum HTTP2Content {
  /// The number of bytes, and whether they are the last ones.
  case bytes(Int, isLast: Bool)
  /// There are none yet; `HTTP2Session.resumeSending` reports the next ones.
  case pending
}

/// The state of a stream of HTTP/2.
final class HTTP2Stream {
  /// How far the stream has come.
  enum Part { case head, content, ended }

  let id: Int32
  /// `nil` after the user has been notified of the end, or has cancelled the stream.
  var user: (any HTTP2StreamUser)?
  /// Without dynamic checks of exclusive access, which each field would pay for: it calls no other code of this module.
  @exclusivity(unchecked) var reader: HeadReader
  var part = Part.head
  /// Whether the field section that is being read has `:status`.
  var hasStatus = false
  /// Whether the end of the request has been composed.
  var isRequestSent = false
  /// The code of a received RST_STREAM frame.
  var resetCode: UInt32?
  /// Why nghttp2 has refused a frame of the stream.
  var violation: String?

  init(_ id: Int32, _ user: any HTTP2StreamUser, _ reader: HeadReader) {
    self.id = id
    self.user = user
    self.reader = reader
  }
}
