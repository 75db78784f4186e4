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
