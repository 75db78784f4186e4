import HTTPTypes
import LupineCore

/// The options of a recording.
public struct RecordingOptions: Sendable {
  /// The rules by which secrets are replaced.
  ///
  /// Default: those of every recording.
  public var redaction = Redaction()
  /// The form in which the bodies of responses are kept.
  ///
  /// Default: decoded.
  public var bodies = Bodies.decoded
  /// The maximum size in bytes of a request's body that is kept.
  ///
  /// Of a longer one only the length and the SHA-256 are recorded. A body that is kept is in memory meanwhile.
  ///
  /// Default: 1 MiB.
  public var uploadLimit: Int64 = 1 << 20
  /// Whether the exchanges of the old cassette answer requests, and only those that it lacks are made and added to it.
  ///
  /// Default: `false`. All exchanges are made, and replace the old ones.
  public var addsMissing = false
  /// How requests are matched with the old exchanges if `addsMissing` is true.
  public var replay = ReplayOptions()

  /// Creates the default options.
  public init() {}

  /// The form in which the bodies of responses are kept.
  public enum Bodies: Sendable, Hashable {
    /// Without the content codings that the session can decode; they are applied again when the body is played.
    case decoded
    /// The bytes of the wire; a content coding must be named as harmless, because secrets in it cannot be found.
    case exact
  }

  /// Returns the codings that are removed from a response's body.
  func decoding(of head: HTTPResponse, in context: TransferContext) throws(LupineError) -> BodyDecoding {
    let coding = head.headerFields[.contentEncoding]
    return try BodyDecoding(
      contentEncoding: coding, isPart: head.status == .partialContent || bodies == .exact,
      codings: context.contentCodings, limits: context.limits)
  }
}
