/// Passes bytes through a sequence of transformers.
enum BodyStages {
  static func pass(
    _ bytes: UnsafeRawBufferPointer, through stages: ArraySlice<any BodyTransformer>,
    into output: BodyTransformer.Output
  ) throws(LupineError) {
    guard let stage = stages.first else { return try output(bytes) }
    try stage.transform(bytes) { (piece) throws(LupineError) in
      try pass(piece, through: stages.dropFirst(), into: output)
    }
  }

  static func finish(
    _ stages: ArraySlice<any BodyTransformer>, into output: BodyTransformer.Output
  ) throws(LupineError) {
    guard let stage = stages.first else { return }
    try stage.finish { (piece) throws(LupineError) in
      try pass(piece, through: stages.dropFirst(), into: output)
    }
    try finish(stages.dropFirst(), into: output)
  }
}

/// Counts the input and output of a decoder and compares them with the limits.
public struct DecodingMeter: Sendable {
  /// The decoded size below which any ratio is allowed, because small bodies are no attack.
  private static let ratioGrace: Int64 = 1 << 20

  private let limits: DecodingLimits
  private var coded: Int64 = 0
  private var decoded: Int64 = 0

  /// Creates a meter with zero counts.
  public init(limits: DecodingLimits) { self.limits = limits }

  /// Adds the bytes of one step.
  ///
  /// - Parameter doing: the decoding as text for a message such as "The response's gzip data decodes to …".
  /// - Throws: `LupineError` of kind `limitExceeded` if the output of the step must not be delivered.
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
