/// What a body passes through on the way to its target, and what of it has to wait.
struct BodyDecoding {
  /// Coded bytes that are decoded at once: a bomb's slice of this size is as much as is ever held over the window.
  private static let slice = 1_024

  private let stages: [any BodyTransformer]
  /// What came when the window was full already; it is decoded when the consumer has made room.
  private var undecoded: ArraySlice<UInt8> = []
  /// How the transport ended the body, while some of it is still undecoded.
  var arrived: BodyEnd?

  init(_ stages: [any BodyTransformer]) { self.stages = stages }

  /// Whether something waits to be decoded.
  var isWaiting: Bool { !undecoded.isEmpty }

  /// Decodes the bytes as far as there is room, and keeps the others.
  mutating func take(_ bytes: UnsafeRawBufferPointer, into target: inout BodyTarget) throws(LupineError) {
    if undecoded.isEmpty {
      undecoded = ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[try decode(bytes, into: &target)...]))
    } else {
      undecoded.append(contentsOf: bytes)
    }
  }

  /// Decodes what had to wait, as far as there is room now.
  mutating func catchUp(into target: inout BodyTarget) throws(LupineError) {
    let waiting = undecoded
    let count = try waiting.withUnsafeBufferPointer { (bytes) throws(LupineError) in
      try decode(UnsafeRawBufferPointer(bytes), into: &target)
    }
    undecoded = waiting.dropFirst(count)
  }

  /// Gives up what waits.
  mutating func drop() { undecoded = [] }

  /// Decodes what the stages still hold at the body's end.
  func finish(into target: inout BodyTarget) throws(LupineError) {
    try BodyStages.finish(stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
  }

  /// Decodes slice by slice until the window is full; returns how many of the bytes it took.
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

/// Passes bytes through a row of transformers.
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
