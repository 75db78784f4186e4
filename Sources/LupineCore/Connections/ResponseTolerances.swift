/// Violations of HTTP/1.1 that a session accepts in the responses of one host.
///
/// A transport reads responses strictly, because programs that read an ambiguous response differently find different
/// ends of it, and the rest of one response becomes the next one (response smuggling). Some servers are old or careless
/// and cannot be changed. `Session.Builder.tolerating(_:of:)` accepts what one of them sends; each name below says which
/// other clients accept the same. The error of a refused response names the tolerance that would accept it.
///
/// After a response that needs `repeatedChunkedCoding`, `spaceAfterChunkSize`, `bareLineFeeds` or `identityCoding`, the
/// connection is closed: another reader may find another end. Over HTTP/2 the tolerances have no effect, because its
/// frames show where a response ends. No tolerance accepts two different lengths, a length beside chunks, or a folded
/// field.
public struct ResponseTolerances: OptionSet, Sendable, Hashable {
  /// One bit for each tolerance.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Accepts `Transfer-Encoding: chunked, chunked`, and the field twice, for content that is chunked once.
  ///
  /// A proxy that adds the field again sends it. curl accepts both; OkHttp and Python's `http.client` accept the repeated
  /// field. RFC 9112 section 6.1 forbids it.
  public static let repeatedChunkedCoding = ResponseTolerances(rawValue: 1 << 0)
  /// Accepts spaces and tabs between the size of a chunk and the end of its line.
  ///
  /// Servers that pad the size to a fixed width send them. curl, Go, OkHttp and Python's `http.client` accept them. The
  /// grammar of RFC 9112 section 7.1 has none there.
  public static let spaceAfterChunkSize = ResponseTolerances(rawValue: 1 << 1)
  /// Accepts `Content-Length` several times, or as a list such as `5, 5`, if all its numbers are equal.
  ///
  /// Scripts behind a server that adds the field again send it. curl and OkHttp accept both; Go and Python's `http.client`
  /// accept the repeated field. RFC 9110 section 8.6 allows a recipient to accept it. Two different numbers are never
  /// accepted. The connection may be used again.
  public static let equalContentLengths = ResponseTolerances(rawValue: 1 << 2)
  /// Accepts lines of a head or of trailers that end with LF alone.
  ///
  /// CGI scripts and small devices send them. RFC 9112 section 2.2 allows a recipient to accept them, as curl, Go, OkHttp
  /// and Python's `http.client` do. The lines of chunks always end with CRLF.
  public static let bareLineFeeds = ResponseTolerances(rawValue: 1 << 3)
  /// Accepts control bytes in the value of a field, and replaces each by a space.
  ///
  /// Servers that copy a file name or the text of an error into a field send them. curl and OkHttp accept them. CR, LF
  /// and NUL are never accepted, and no control byte in `Content-Length`, `Transfer-Encoding` or `Connection` is. The
  /// connection may be used again.
  public static let controlBytesInValues = ResponseTolerances(rawValue: 1 << 4)
  /// Accepts the end of a TLS connection without close_notify as the end of a body that has neither a length nor chunks.
  ///
  /// Servers that close the socket without ending TLS send such bodies. curl, Go, OkHttp and Python's `http.client` accept
  /// them. Whoever can cut the connection can also cut such a body, without an error (RFC 9112 section 9.8). The
  /// server must have closed the connection (FIN) after a whole TLS record: a reset and a part of a record are never
  /// accepted. A download that could be resumed never ends so; see `TransferContext.mayLackCloseNotify(after:)`.
  public static let missingCloseNotify = ResponseTolerances(rawValue: 1 << 5)
  /// Accepts `Transfer-Encoding: identity`, which means no coding.
  ///
  /// Servers that follow RFC 2616 send it; RFC 7230 removed it. The body has the length in `Content-Length`, or ends with
  /// the connection. curl, OkHttp and Python's `http.client` accept it.
  public static let identityCoding = ResponseTolerances(rawValue: 1 << 6)

  /// Whether a response that needs one of these is the last one of its connection, because another reader may find
  /// another end.
  public var endsConnection: Bool { !subtracting([.equalContentLengths, .controlBytesInValues]).isEmpty }
}

extension ResponseTolerances: CustomStringConvertible {
  private static let names: [(ResponseTolerances, String)] = [
    (.repeatedChunkedCoding, "repeatedChunkedCoding"), (.spaceAfterChunkSize, "spaceAfterChunkSize"),
    (.equalContentLengths, "equalContentLengths"), (.bareLineFeeds, "bareLineFeeds"),
    (.controlBytesInValues, "controlBytesInValues"), (.missingCloseNotify, "missingCloseNotify"),
    (.identityCoding, "identityCoding"),
  ]

  /// The names of the tolerances, joined by commas.
  public var description: String { Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") }

  /// The sentence that an error message ends with if these tolerances would accept the refused response.
  ///
  /// For transports.
  public var advice: String {
    let list = Self.names.filter { contains($0.0) }.map { ".\($0.1)" }.joined(separator: ", ")
    return "If its server cannot be corrected, '.tolerating([\(list)], of: host)' of the session's builder accepts it."
  }
}
