import LupineCore

/// The encoding state of a C library for one body.
///
/// A step that does not fill the chunk has no more output for now. At the end, `isComplete` marks the last step.
protocol EncodingStream: ~Copyable, Sendable {
  mutating func encode(
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep
}
