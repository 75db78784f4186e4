/// Several decoders as one, which keep together to the ratio that each keeps to alone.
///
/// Two codings of a thousand each would otherwise make a megabyte of one byte.
final class StackedDecoder: BodyTransformer {
  private let decoders: [any BodyTransformer]
  private let meter: Meter

  init(_ decoders: [any BodyTransformer], maximumRatio: Double) {
    self.decoders = decoders
    meter = Meter(maximumRatio: maximumRatio)
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    meter.coded += Int64(input.count)
    try BodyStages.pass(input, through: decoders[...]) { (piece) throws(LupineError) in
      try meter.count(piece)
      try output(piece)
    }
  }

  func finish(into output: Output) throws(LupineError) {
    try BodyStages.finish(decoders[...]) { (piece) throws(LupineError) in
      try meter.count(piece)
      try output(piece)
    }
  }

  /// Proof for `@unchecked`: a transformer serves from one place at a time, and the meter is its own.
  private final class Meter: @unchecked Sendable {
    /// Small bodies may have any ratio: a page of blanks is no attack.
    static let grace: Int64 = 1 << 20

    let maximumRatio: Double
    var coded: Int64 = 0
    var decoded: Int64 = 0

    init(maximumRatio: Double) { self.maximumRatio = maximumRatio }

    func count(_ piece: UnsafeRawBufferPointer) throws(LupineError) {
      decoded += Int64(piece.count)
      guard decoded > Self.grace, Double(decoded) > maximumRatio * Double(coded) else { return }
      throw LupineError(
        .limitExceeded(.decodingRatio),
        "The response's codings decode together to more than \(maximumRatio) times its size (limit decodingRatio).")
    }
  }
}
