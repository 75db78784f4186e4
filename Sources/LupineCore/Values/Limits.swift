/// The limits on what a session accepts or sends.
///
/// Each limit has a default. An error for an exceeded limit contains its name.
public struct Limits: Sendable, Hashable {
  /// The maximum number of bytes of a response's body in memory, after decoding.
  ///
  /// Default: 64 MiB.
  public var responseBody: Int64 = 64 << 20
  /// The maximum number of bytes that are read of an unused body before its connection is closed.
  ///
  /// The body of a redirect or of a failed download is unused.
  ///
  /// Default: 1 MiB.
  public var discardedBody: Int64 = 1 << 20
  /// The maximum number of bytes of a response's body in `LupineError.body`, after decoding.
  ///
  /// A longer body is truncated without an error; 0 keeps none.
  ///
  /// Default: 64 KiB.
  public var errorBody: Int64 = 64 << 10
  /// The maximum number of bytes of one response's field section, as received.
  ///
  /// Default: 128 KiB.
  public var responseFields: Int = 128 << 10
  /// The maximum number of fields in one response.
  ///
  /// Default: 1,000.
  public var responseFieldCount: Int = 1_000
  /// The maximum number of interim (1xx) responses before the final one.
  ///
  /// Default: 32.
  public var informationalResponses: Int = 32
  /// The maximum number of bytes of trailers.
  ///
  /// Default: 16 KiB.
  public var trailers: Int = 16 << 10
  /// The maximum number of bytes of chunk extensions (RFC 9112 section 7.1.1) beyond the number of content bytes.
  ///
  /// Each byte of content allows one more byte of extensions. A transport that declares `strictFraming` enforces this
  /// limit.
  ///
  /// Default: 16 KiB.
  public var chunkExtensions: Int = 16 << 10
  /// The maximum number of bytes of a request's fields.
  ///
  /// Default: 60 KiB. Above this size HTTP/2 peers rarely answer.
  public var requestFields: Int = 60 << 10
  /// The maximum number of decoded bytes for each coded byte.
  ///
  /// It applies after the first decoded MiB.
  ///
  /// Default: 1,000.
  public var decodingRatio: Double = 1_000
  /// The maximum number of content codings of one response.
  ///
  /// Default: 3.
  public var contentCodings: Int = 3
  /// The maximum number of redirects for one request.
  ///
  /// Default: 10.
  public var redirects: Int = 10

  /// Creates the default limits.
  public init() {}

  /// The name of a limit in errors.
  public enum Name: String, Sendable, Hashable, CustomStringConvertible {
    /// See `Limits.responseBody`.
    case responseBody
    /// See `Limits.discardedBody`.
    case discardedBody
    /// The limit of a download or a stream.
    case sink
    /// See `Limits.responseFields`.
    case responseFields
    /// See `Limits.responseFieldCount`.
    case responseFieldCount
    /// See `Limits.informationalResponses`.
    case informationalResponses
    /// See `Limits.trailers`.
    case trailers
    /// See `Limits.chunkExtensions`.
    case chunkExtensions
    /// See `Limits.requestFields`.
    case requestFields
    /// The maximum decoded size of a body, if a decoder has such a limit.
    case decodedBodySize
    /// See `Limits.decodingRatio`.
    case decodingRatio
    /// See `Limits.contentCodings`.
    case contentCodings
    /// See `Limits.redirects`.
    case redirects
    /// The maximum number of bytes in one line of a stream.
    case line
    /// One of `MultipartLimits`, which the message names, or the limit of a part.
    case multipart
    /// The number of exchanges that wait for the lookup of their host's name; see the transport's configuration.
    case nameLookups
    /// The nesting depth of a value that is encoded or decoded.
    case nesting
    /// The number of pages that `Session.pages` requests.
    case pages

    /// The name, such as `redirects`.
    public var description: String { rawValue }
  }
}
