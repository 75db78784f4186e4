import LupineCore

/// Counts what goes into a decoder and what comes out, and compares it with the limits.
struct DecodingMeter {
  /// Small bodies may have any ratio: a page of blanks is no attack.
  static let ratioGrace: Int64 = 1 << 20

  let limits: DecodingLimits
  private var coded: Int64 = 0
  private var decoded: Int64 = 0

  init(limits: DecodingLimits) { self.limits = limits }

  /// Adds what one step did; throws when the output it made is not to be delivered.
  mutating func count(_ step: StreamStep, coding: String) throws(LupineError) {
    coded += Int64(step.consumed)
    decoded += Int64(step.produced)
    if decoded > limits.maximumSize {
      throw LupineError(
        .limitExceeded(.decodedBodySize),
        "The response's \(coding) data decodes to more than \(limits.maximumSize) bytes (limit decodedBodySize).")
    }
    if decoded > Self.ratioGrace, Double(decoded) > limits.maximumRatio * Double(coded) {
      throw LupineError(
        .limitExceeded(.decodingRatio),
        "The response's \(coding) data decodes to more than \(limits.maximumRatio) times its size (limit decodingRatio)."
      )
    }
  }
}
