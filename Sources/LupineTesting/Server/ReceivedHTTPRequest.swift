public import HTTPTypes

/// A request as a ``ScriptedServer`` received it.
public struct ReceivedHTTPRequest: Sendable {
  /// The method.
  public let method: HTTPRequest.Method
  /// The request target as sent: usually a path with its query, `*`, or an absolute URL if the server acts as a proxy.
  public let target: String
  /// The version as sent: `HTTP/1.1` or `HTTP/1.0`.
  public let version: String
  /// The fields in their order, including repeated ones, with the names in the case in which they were sent.
  public let fields: RawFields
  /// The bytes of the head, from the method to the empty line.
  public let rawHead: [UInt8]
  /// The received and stored part of the body, after the chunked coding is removed.
  public internal(set) var body: [UInt8] = []
  /// The number of bytes of the decoded body that were read, including those that were not stored.
  public internal(set) var bodyLength = 0
  /// Whether the body has been read to its end; `true` if there is none.
  public internal(set) var isBodyComplete = false
  /// The trailers of a chunked body.
  public internal(set) var trailers = RawFields()
  /// The number of the connection, from 0 in the order of acceptance.
  public let connection: Int
  /// The number of the request on its connection, from 0.
  public let index: Int
  /// The number of the request on the server, from 0 in the order in which they were ready for the handler.
  public internal(set) var number = 0

  /// The body as text; invalid UTF-8 becomes U+FFFD.
  public var bodyText: String { String(decoding: body, as: UTF8.self) }

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The part of the target after the first `?`; `nil` if there is none.
  public var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
  public var expectsContinue: Bool {
    version != "HTTP/1.0" && fields.contains(token: "100-continue", in: "Expect")
  }
}
