import LupineCore

/// What one call of a C library did.
struct StreamStep {
  /// How many bytes of the input it took.
  var consumed = 0
  /// How many bytes of output it wrote.
  var produced = 0
  /// Whether the coded data is complete with what was taken so far.
  var isComplete = false
}

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

/// A C library's encoding state for one body.
///
/// When a step does not fill the chunk, it has no more to give for now; at the end, `isComplete` says so.
protocol EncodingStream: ~Copyable, Sendable {
  mutating func encode(
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep
}

extension LupineError {
  /// The coded data breaks its format; `text` is the C library's own.
  static func undecodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.contentDecodingFailed, "The response's \(coding) data cannot be decoded: \(text).")
  }

  /// Bytes stand behind the end of the coded data.
  static func trailingData(_ coding: String) -> LupineError {
    undecodable(coding, "other bytes follow its end")
  }

  /// The coded data stops before its end.
  static func truncated(_ coding: String) -> LupineError {
    undecodable(coding, "it ends too early")
  }

  /// The encoder failed; `text` is the C library's own.
  static func unencodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.bodyFailed, "The body cannot be coded with \(coding): \(text).")
  }

  /// A C library has no memory for its state, or is not the version it should be.
  static func unavailable(_ coding: String) -> LupineError {
    LupineError(.other, "The \(coding) library could not be set up; memory may have run out.")
  }
}
