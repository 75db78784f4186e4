/// The most that a session accepts or sends; each limit has a default, and its name stands in the error it raises.
public struct Limits: Sendable, Hashable {
  /// Bytes of a response's body that are gathered in memory, after decoding.
  ///
  /// Default: 64 MiB.
  public var responseBody: Int64 = 64 << 20
  /// Bytes read of a body nobody wants, such as a redirect's or the page of a download that failed, before its connection is
  /// closed instead.
  ///
  /// Default: 1 MiB.
  public var discardedBody: Int64 = 1 << 20
  /// Bytes of a response's body that an error carries as `LupineError.body`, after decoding.
  ///
  /// What is longer is cut, and is no error; 0 keeps none.
  ///
  /// Default: 64 KiB.
  public var errorBody: Int64 = 64 << 10
  /// Bytes of one response's field section, as they arrive.
  ///
  /// Default: 128 KiB.
  public var responseFields: Int = 128 << 10
  /// Fields in one response.
  ///
  /// Default: 1,000.
  public var responseFieldCount: Int = 1_000
  /// Interim (1xx) responses before the final one.
  ///
  /// Default: 32.
  public var informationalResponses: Int = 32
  /// Bytes of trailers.
  ///
  /// Default: 16 KiB.
  public var trailers: Int = 16 << 10
  /// Bytes of chunk extensions (RFC 9112 section 7.1.1) in excess of the content.
  ///
  /// Each byte of content allows one more byte of extensions. A transport that declares `strictFraming` keeps to this
  /// limit.
  ///
  /// Default: 16 KiB.
  public var chunkExtensions: Int = 16 << 10
  /// Bytes of a request's fields.
  ///
  /// Default: 60 KiB, beyond which HTTP/2 peers rarely answer.
  public var requestFields: Int = 60 << 10
  /// Decoded bytes for each coded byte, looked at after the first MiB.
  ///
  /// Default: 1,000.
  public var decodingRatio: Double = 1_000
  /// Content codings applied on top of each other.
  ///
  /// Default: 3.
  public var contentCodings: Int = 3
  /// Redirects followed for one request.
  ///
  /// Default: 10.
  public var redirects: Int = 10

  /// The defaults.
  public init() {}

  /// The name of a limit, as errors carry it.
  public enum Name: String, Sendable, Hashable {
    /// See `Limits.responseBody`.
    case responseBody
    /// See `Limits.discardedBody`.
    case discardedBody
    /// The cap that a download or a stream was given.
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
    /// The decoded size of a body, where a decoder was given one.
    case decodedBodySize
    /// See `Limits.decodingRatio`.
    case decodingRatio
    /// See `Limits.contentCodings`.
    case contentCodings
    /// See `Limits.redirects`.
    case redirects
    /// The bytes of one line of a stream.
    case line
    /// One of `MultipartLimits`, which the message names, or the cap that a part was given.
    case multipart
    /// The exchanges that wait for a transport to look up their host's name; see the transport's configuration.
    case nameLookups
    /// Nested levels of a value that is encoded or decoded.
    case nesting
  }
}
