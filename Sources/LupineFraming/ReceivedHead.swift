public import HTTPTypes
import LupineCore

/// A complete head of a final response, as a `HeadReader` or a `ResponseReader` has read it.
///
/// Several responses may share one head, because a `HeadCache` keeps a head that repeats.
public final class ReceivedHead: Sendable {
  /// The status line.
  public let statusLine: StatusLine
  /// The status and the fields.
  public let response: HTTPResponse
  /// Whether the connection may carry another exchange after the response's end (RFC 9112 section 9.3).
  ///
  /// True for HTTP/1.1 without the connection option `close`, unless the response has status 204 and declares content.
  /// HTTP/1.0 ends with its connection. A body that the end of the connection delimits is not considered here.
  public let isPersistent: Bool
  private let declared: DeclaredLength

  init(_ statusLine: StatusLine, _ response: HTTPResponse, _ declared: DeclaredLength, closes: Bool) {
    self.statusLine = statusLine
    self.response = response
    self.declared = declared
    let hasForbiddenContent = statusLine.code == 204 && declared.isContent
    isPersistent = statusLine.version != .http1_0 && !closes && !hasForbiddenContent
  }

  /// The value of `Content-Length`, in bytes; nil without the field.
  public var contentLength: Int64? { declared.contentLength }

  /// Whether the head has `Transfer-Encoding: chunked`.
  public var isChunked: Bool { declared.isChunked }

  /// Whether the head declares a body with content.
  ///
  /// A 204 that declares content has none, but a server may send it anyway.
  public var declaresContent: Bool { declared.isContent }

  /// Returns the rule by which the end of the body is found in HTTP/1.1.
  ///
  /// - Parameter method: the method of the request.
  public func framing(to method: HTTPRequest.Method) -> ResponseFraming {
    ResponseFraming(declared, code: statusLine.code, to: method)
  }
}
