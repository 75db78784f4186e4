/// The stages of a body before its target, and the bytes that wait for them.
struct BodyDecoding {
  /// The maximum number of coded bytes per decoding step.
  ///
  /// It bounds what a decompression bomb can add beyond the window.
  private static let slice = 1_024

  private let stages: [any BodyTransformer]
  /// Bytes that arrived while the window was full.
  ///
  /// They are decoded when the consumer has made room.
  private var undecoded: ArraySlice<UInt8> = []
  /// The end that the transport reported while some bytes are still undecoded.
  var arrived: BodyEnd?

  init(_ stages: [any BodyTransformer]) { self.stages = stages }

  /// Whether some bytes are undecoded.
  var isWaiting: Bool { !undecoded.isEmpty }

  /// Decodes the bytes as far as there is room, and keeps the rest.
  mutating func take(_ bytes: UnsafeRawBufferPointer, into target: inout BodyTarget) throws(LupineError) {
    if undecoded.isEmpty {
      undecoded = ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[try decode(bytes, into: &target)...]))
    } else {
      undecoded.append(contentsOf: bytes)
    }
  }

  /// Decodes the waiting bytes as far as there is room.
  mutating func catchUp(into target: inout BodyTarget) throws(LupineError) {
    let waiting = undecoded
    let count = try waiting.withUnsafeBufferPointer { (bytes) throws(LupineError) in
      try decode(UnsafeRawBufferPointer(bytes), into: &target)
    }
    undecoded = waiting.dropFirst(count)
  }

  /// Drops the waiting bytes.
  mutating func drop() { undecoded = [] }

  /// Decodes what the stages still hold at the end of the body.
  func finish(into target: inout BodyTarget) throws(LupineError) {
    try BodyStages.finish(stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
  }

  /// Decodes slice by slice until the window is full; returns the number of bytes that it has decoded.
  private func decode(_ bytes: UnsafeRawBufferPointer, into target: inout BodyTarget) throws(LupineError) -> Int {
    var position = 0
    while position < bytes.count, !target.isFull {
      let end = min(position + Self.slice, bytes.count)
      let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
      try BodyStages.pass(slice, through: stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
      position = end
    }
    return position
  }
}

/// Passes bytes through a sequence of transformers.
package enum BodyStages {
  package static func pass(
    _ bytes: UnsafeRawBufferPointer, through stages: ArraySlice<any BodyTransformer>,
    into output: BodyTransformer.Output
  ) throws(LupineError) {
    guard let stage = stages.first else { return try output(bytes) }
    try stage.transform(bytes) { (piece) throws(LupineError) in
      try pass(piece, through: stages.dropFirst(), into: output)
    }
  }

  package static func finish(
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
