import LupineCore

/// Decodes one content coding incrementally, within the limits.
///
/// Its calls do not overlap, because a body has one reader.
final class StreamDecoder<Stream: DecodingStream & ~Copyable>: BodyTransformer {
  private let state: ExclusiveState<StreamDecoderState<Stream>>

  init(_ stream: consuming sending Stream, limits: DecodingLimits) {
    state = ExclusiveState(StreamDecoderState(stream, limits: limits))
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    try state.withState { (state) throws(LupineError) in try state.transform(input, into: output) }
  }

  func finish(into output: BodyTransformer.Output) throws(LupineError) {
    try state.withState { (state) throws(LupineError) in try state.finish() }
  }
}

/// The state of a decoder between two calls.
private struct StreamDecoderState<Stream: DecodingStream & ~Copyable>: ~Copyable, Sendable {
  private var stream: Stream
  private let chunk: OutputBuffer
  private var meter: DecodingMeter
  /// A body without bytes is complete in every coding.
  private var isComplete = true
  /// The first error, which every later call throws, because the C library's state is then invalid.
  private var failure: LupineError?

  init(_ stream: consuming Stream, limits: DecodingLimits) {
    self.stream = stream
    chunk = OutputBuffer(size: limits.chunkSize)
    meter = DecodingMeter(limits: limits)
  }

  mutating func transform(_ input: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    if let failure { throw failure }
    do throws(LupineError) {
      try decode(input, into: output)
    } catch {
      failure = error
      throw error
    }
  }

  func finish() throws(LupineError) {
    if let failure { throw failure }
    if !isComplete { throw .truncated(Stream.coding) }
  }

  private mutating func decode(_ input: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError)
  {
    var rest = input
    var hasMore = false
    while !rest.isEmpty || hasMore {
      let step = try stream.decode(rest, into: chunk.bytes)
      if step.consumed == 0, step.produced == 0, !rest.isEmpty {
        throw .undecodable(Stream.coding, "the decoder makes no progress")
      }
      try meter.count(coded: step.consumed, decoded: step.produced, doing: "\(Stream.coding) data decodes")
      rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
      isComplete = step.isComplete
      hasMore = step.produced == chunk.bytes.count && !step.isComplete
      if step.produced > 0 { try output(chunk.prefix(step.produced)) }
    }
  }
}
