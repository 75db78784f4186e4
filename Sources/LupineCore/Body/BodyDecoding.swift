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
