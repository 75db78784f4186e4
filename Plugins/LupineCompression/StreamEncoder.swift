import LupineCore

/// Encodes with one content coding incrementally.
///
/// Its calls do not overlap, because a body has one reader.
final class StreamEncoder<Stream: EncodingStream & ~Copyable>: BodyTransformer {
  private let state: ExclusiveState<StreamEncoderState<Stream>>

  init(_ stream: consuming sending Stream) {
    state = ExclusiveState(StreamEncoderState(stream))
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    try state.withState { (state) throws(LupineError) in try state.encode(input, into: output) }
  }

  func flush(into output: BodyTransformer.Output) throws(LupineError) {
    try state.withState { (state) throws(LupineError) in try state.flush(into: output) }
  }

  func finish(into output: BodyTransformer.Output) throws(LupineError) {
    try state.withState { (state) throws(LupineError) in try state.finish(into: output) }
  }
}

/// The state of an encoder between two calls.
private struct StreamEncoderState<Stream: EncodingStream & ~Copyable>: ~Copyable, Sendable {
  private static var chunkSize: Int { 64 << 10 }

  private var stream: Stream
  private let chunk = OutputBuffer(size: Self.chunkSize)
  /// Prevents a second `finish` from starting a second body.
  private var isComplete = false

  init(_ stream: consuming Stream) { self.stream = stream }

  mutating func encode(_ input: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    var rest = input
    var hasMore = false
    while !rest.isEmpty || hasMore {
      let step = try stream.encode(rest, .process, into: chunk.bytes)
      rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
      hasMore = step.produced == chunk.bytes.count
      if step.produced > 0 { try output(chunk.prefix(step.produced)) }
    }
  }

  mutating func flush(into output: BodyTransformer.Output) throws(LupineError) {
    var hasMore = !isComplete
    while hasMore {
      let step = try stream.encode(UnsafeRawBufferPointer(start: nil, count: 0), .flush, into: chunk.bytes)
      hasMore = step.produced == chunk.bytes.count
      if step.produced > 0 { try output(chunk.prefix(step.produced)) }
    }
  }

  mutating func finish(into output: BodyTransformer.Output) throws(LupineError) {
    while !isComplete {
      let step = try stream.encode(UnsafeRawBufferPointer(start: nil, count: 0), .finish, into: chunk.bytes)
      isComplete = step.isComplete
      if step.produced > 0 { try output(chunk.prefix(step.produced)) }
    }
  }
}
