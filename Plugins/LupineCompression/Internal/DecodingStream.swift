import LupineCore

/// The decoding state of a C library for one body.
///
/// A step consumes a part of the input, which is empty only if the last step filled the chunk. A step that does not
/// fill the chunk has no more output for its input.
protocol DecodingStream: ~Copyable, Sendable {
  /// The coding's name in error messages.
  static var coding: String { get }

  mutating func decode(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep
}
