import LupineCore
import Synchronization

/// Several decoders as one, which keep together to the ratio that each keeps to alone.
///
/// Two codings of a thousand each would otherwise make a megabyte of one byte.
final class StackedDecoder: BodyTransformer {
  private let decoders: [any BodyTransformer]
  private let meter: Mutex<DecodingMeter>

  init(_ decoders: [any BodyTransformer], limits: DecodingLimits) {
    self.decoders = decoders
    meter = Mutex(DecodingMeter(limits: limits))
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    try count(coded: input.count, decoded: 0)
    try BodyStages.pass(input, through: decoders[...]) { (piece) throws(LupineError) in
      try count(coded: 0, decoded: piece.count)
      try output(piece)
    }
  }

  func finish(into output: Output) throws(LupineError) {
    try BodyStages.finish(decoders[...]) { (piece) throws(LupineError) in
      try count(coded: 0, decoded: piece.count)
      try output(piece)
    }
  }

  private func count(coded: Int, decoded: Int) throws(LupineError) {
    try meter.withLock { (meter) throws(LupineError) in
      try meter.count(coded: coded, decoded: decoded, doing: "codings decode together")
    }
  }
}
