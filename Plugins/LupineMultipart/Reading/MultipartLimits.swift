/// The most that is accepted of a multipart that is read.
///
/// What exceeds a limit ends with kind `limitExceeded(.multipart)`, or `limitExceeded(.nesting)`, and a message that names
/// the limit.
public struct MultipartLimits: Sendable, Hashable {
  /// Parts of one multipart.
  ///
  /// Default: 1,000.
  public var parts = 1_000
  /// Bytes of one part's fields.
  ///
  /// Default: 16 KiB.
  public var fieldBytes = 16 << 10
  /// Fields of one part.
  ///
  /// Default: 100.
  public var fields = 100
  /// Bytes of one part's content.
  ///
  /// Default: `nil`, which sets no bound, for parts are streamed.
  public var partBytes: Int64?
  /// Bytes before the first part, which nobody sees.
  ///
  /// Default: 64 KiB.
  public var preambleBytes = 64 << 10
  /// Multiparts inside multiparts, the outermost counted.
  ///
  /// Default: 5.
  public var nesting = 5

  /// The defaults.
  public init() {}
}
