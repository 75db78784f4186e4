import LupineCore

/// A C library's decoding state for one body.
///
/// A step takes a part of the input, never empty unless output was left over, and writes at most the chunk's size. When
/// it does not fill the chunk it has no more to give.
protocol DecodingStream: ~Copyable, Sendable {
  /// The coding's name, for messages.
  static var coding: String { get }

  mutating func decode(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep
}
