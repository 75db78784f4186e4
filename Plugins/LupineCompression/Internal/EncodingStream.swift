import LupineCore

/// A C library's encoding state for one body.
///
/// When a step does not fill the chunk, it has no more to give for now; at the end, `isComplete` says so.
protocol EncodingStream: ~Copyable, Sendable {
  mutating func encode(
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep
}
