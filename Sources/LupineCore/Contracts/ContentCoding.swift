/// A content coding (RFC 9110 section 8.4.1) that a session can undo and apply.
public protocol ContentCoding: Sendable {
  /// The registered name, in lower case, such as `gzip`.
  var name: String { get }
  /// Other names that mean the same, such as `x-gzip`.
  var aliases: [String] { get }
  /// Makes what undoes the coding for one body.
  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer
  /// Makes what applies the coding to one body.
  func makeEncoder() throws(LupineError) -> any BodyTransformer
}

/// What a decoder may produce before it gives up.
public struct DecodingLimits: Sendable, Hashable {
  /// Decoded bytes in all.
  public var maximumSize: Int64
  /// Decoded bytes for each coded byte, looked at once a MiB has been decoded.
  public var maximumRatio: Double
  /// Bytes of one piece of output.
  ///
  /// Default: 64 KiB.
  public var chunkSize: Int

  /// Sets the caps.
  public init(maximumSize: Int64, maximumRatio: Double, chunkSize: Int = 64 << 10) {
    self.maximumSize = maximumSize
    self.maximumRatio = maximumRatio
    self.chunkSize = chunkSize
  }
}
