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
  /// The maximum number of bytes of padding; more are an error, because a server could send padding without an end.
  private static var maximumPadding: Int { 64 << 10 }
  /// A body without bytes is complete in every coding.
  private var isComplete = true
  /// Whether coded data has begun; `isComplete` then means that it has ended.
  private var hasBegun = false
  /// The number of bytes of padding so far.
  private var padding = 0
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
      if isComplete, hasBegun, try skipPadding(&rest) { break }
      hasBegun = true
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

  /// Skips zeros and line ends, which some programs append to complete coded data; returns whether no other byte is
  /// left.
  private mutating func skipPadding(_ rest: inout UnsafeRawBufferPointer) throws(LupineError) -> Bool {
    let count = rest.firstIndex { $0 != 0 && $0 != 0x0A && $0 != 0x0D } ?? rest.count
    padding += count
    guard padding <= Self.maximumPadding else { throw .overlongPadding(Stream.coding, Self.maximumPadding) }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    return rest.isEmpty
  }
}
