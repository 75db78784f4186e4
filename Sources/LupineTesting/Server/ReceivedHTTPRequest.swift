public import HTTPTypes

/// A request as it arrived at a ``ScriptedServer``, byte for byte where it matters.
public struct ReceivedHTTPRequest: Sendable {
  /// The method.
  public let method: HTTPRequest.Method
  /// The request target as sent: usually a path with its query, `*`, or a whole URL when the server plays a proxy.
  public let target: String
  /// The version as sent: `HTTP/1.1` or `HTTP/1.0`.
  public let version: String
  /// The fields in their order, repeated ones included, names in the case in which they were sent.
  public let fields: RawFields
  /// The head's bytes, from the method to the empty line.
  public let rawHead: [UInt8]
  /// The body, decoded when it was chunked, as far as it was read and as far as the server keeps bodies.
  public internal(set) var body: [UInt8] = []
  /// How many bytes of the decoded body were read, also those that were not kept.
  public internal(set) var bodyLength = 0
  /// Whether the body has been read to its end; `true` when there is none.
  public internal(set) var isBodyComplete = false
  /// The fields after a chunked body.
  public internal(set) var trailers = RawFields()
  /// Which connection of the server brought it, counted from 0 in the order in which they were accepted.
  public let connection: Int
  /// Which request of its connection it is, counted from 0.
  public let index: Int
  /// Which request of the server it is, counted from 0 in the order in which they were complete enough to be answered.
  public internal(set) var number = 0

  /// The body as text; bytes that are not UTF-8 become U+FFFD.
  public var bodyText: String { String(decoding: body, as: UTF8.self) }

  /// The target up to its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The part of the target after the first `?`, `nil` when there is none.
  public var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
  public var expectsContinue: Bool {
    version != "HTTP/1.0" && fields.contains(token: "100-continue", in: "Expect")
  }
}
