/// Counts what goes into a decoder and what comes out, and compares it with the limits.
public struct DecodingMeter: Sendable {
  /// Small bodies may have any ratio: a page of blanks is no attack.
  private static let ratioGrace: Int64 = 1 << 20

  private let limits: DecodingLimits
  private var coded: Int64 = 0
  private var decoded: Int64 = 0

  /// Begins to count.
  public init(limits: DecodingLimits) { self.limits = limits }

  /// Adds what one step did.
  ///
  /// - Parameter doing: what decodes, for a message such as "The response's gzip data decodes to …".
  /// - Throws: `LupineError` of kind `limitExceeded` when the output that the step made is not to be delivered.
  public mutating func count(coded: Int, decoded: Int, doing: @autoclosure () -> String) throws(LupineError) {
    self.coded += Int64(coded)
    self.decoded += Int64(decoded)
    if self.decoded > limits.maximumSize {
      throw LupineError(
        .limitExceeded(.decodedBodySize),
        "The response's \(doing()) to more than \(limits.maximumSize) bytes (limit decodedBodySize).")
    }
    if self.decoded > Self.ratioGrace, Double(self.decoded) > limits.maximumRatio * Double(self.coded) {
      throw LupineError(
        .limitExceeded(.decodingRatio),
        "The response's \(doing()) to more than \(limits.maximumRatio) times its size (limit decodingRatio).")
    }
  }
}
