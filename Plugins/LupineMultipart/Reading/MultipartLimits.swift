/// The limits of a multipart that is read.
///
/// A multipart that exceeds a limit is an error of kind `limitExceeded(.multipart)` or `limitExceeded(.nesting)`, whose
/// message names the limit.
public struct MultipartLimits: Sendable, Hashable {
  /// The maximum number of parts.
  ///
  /// Default: 1,000.
  public var parts = 1_000
  /// The maximum number of bytes in one part's fields.
  ///
  /// Default: 16 KiB.
  public var fieldBytes = 16 << 10
  /// The maximum number of fields in one part.
  ///
  /// Default: 100.
  public var fields = 100
  /// The maximum number of bytes in one part's content.
  ///
  /// Default: `nil`, which means no limit, because parts are streamed.
  public var partBytes: Int64?
  /// The maximum number of bytes before the first part; they are ignored.
  ///
  /// Default: 64 KiB.
  public var preambleBytes = 64 << 10
  /// The maximum depth of nested multiparts, including the outermost.
  ///
  /// Default: 5.
  public var nesting = 5

  /// Creates the default limits.
  public init() {}
}
