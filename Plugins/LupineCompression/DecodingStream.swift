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

/// The encoding state of a C library for one body.
///
/// A step that does not fill the chunk has no more output for now. At the end, `isComplete` marks the last step.
protocol EncodingStream: ~Copyable, Sendable {
  mutating func encode(
    _ input: UnsafeRawBufferPointer, _ operation: EncodingOperation, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep
}

/// The operation of an encoder after it has taken its input.
enum EncodingOperation {
  /// It may hold output back.
  case process
  /// It writes output for all input so far.
  case flush
  /// It ends the coded data.
  case finish
}

/// The result of one call of a C library.
struct StreamStep {
  /// The number of input bytes consumed.
  var consumed = 0
  /// The number of output bytes written.
  var produced = 0
  /// Whether the input consumed so far completes the coded data.
  var isComplete = false
}

/// The reused buffer for each piece of output.
///
/// `@unchecked Sendable`: the struct is the only owner of its memory and cannot be copied.
struct OutputBuffer: ~Copyable, @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  /// Allocates `size` bytes, at least one.
  init(size: Int) {
    bytes = .allocate(byteCount: max(size, 1), alignment: 16)
  }

  deinit { bytes.deallocate() }

  /// Returns the first `count` bytes.
  func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}

extension LupineError {
  /// The error for invalid coded data; `text` is the C library's message.
  static func undecodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.contentDecodingFailed, "The response's \(coding) data cannot be decoded: \(text).")
  }

  /// The error for bytes after the end of the coded data.
  static func trailingData(_ coding: String) -> LupineError {
    undecodable(coding, "bytes other than zeros and line ends follow its end")
  }

  /// The error for too many zeros and line ends after the coded data.
  static func overlongPadding(_ coding: String, _ limit: Int) -> LupineError {
    undecodable(coding, "more than \(limit) zeros and line ends follow its end")
  }

  /// The error for coded data that ends too early.
  static func truncated(_ coding: String) -> LupineError {
    undecodable(coding, "it ends too early")
  }

  /// The error of a failed encoder; `text` is the C library's message.
  static func unencodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.bodyFailed, "The body cannot be encoded with \(coding): \(text).")
  }

  /// The error for a C library that has no memory for its state, or has an incompatible version.
  static func unavailable(_ coding: String) -> LupineError {
    LupineError(.other, "The \(coding) library could not be set up; memory may have run out.")
  }
}
