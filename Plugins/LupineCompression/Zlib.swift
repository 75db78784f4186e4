import CZlib
import LupineCore

/// Owns zlib's stream for decoding.
///
/// zlib stores a pointer to the stream, so the stream is allocated on the heap. `@unchecked Sendable`: the handle is
/// the only owner of its memory and cannot be copied, and zlib does not bind a stream to a thread.
struct InflateHandle: ~Copyable, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates a stream for gzip (31), zlib (15) or raw deflate (-15), with a window of 32 KiB.
  init(windowBits: Int32, coding: String) throws(LupineError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard lupine_inflate_init(stream, windowBits) == Z_OK else {
      stream.deallocate()
      throw .unavailable(coding)
    }
    self.stream = stream
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Resets the stream, for the next member or for another format.
  func reset(windowBits: Int32) { inflateReset2(stream, windowBits) }

  /// Decodes as much as the input and the chunk allow.
  func inflate(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer, coding: String
  ) throws(LupineError) -> StreamStep {
    let result = stream.exchange(input, chunk) { CZlib.inflate($0, Z_NO_FLUSH) }
    // Z_BUF_ERROR means that no progress was possible, which is not an error.
    guard result.code == Z_OK || result.code == Z_STREAM_END || result.code == Z_BUF_ERROR else {
      throw .undecodable(coding, stream.message(for: result.code))
    }
    return result.step
  }
}

/// Owns zlib's stream for encoding.
///
/// zlib stores a pointer to the stream, so the stream is allocated on the heap. `@unchecked Sendable`: the handle is
/// the only owner of its memory and cannot be copied, and zlib does not bind a stream to a thread.
struct DeflateHandle: ~Copyable, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates a stream for gzip (31) or zlib (15), with a window of 32 KiB.
  init(windowBits: Int32, level: Int, coding: String) throws(LupineError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard lupine_deflate_init(stream, Int32(level), windowBits) == Z_OK else {
      stream.deallocate()
      throw .unavailable(coding)
    }
    self.stream = stream
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Encodes as much as the input and the chunk allow; at the end, also writes the data that zlib has buffered.
  func deflate(
    _ input: UnsafeRawBufferPointer, _ operation: EncodingOperation, into chunk: UnsafeMutableRawBufferPointer,
    coding: String
  ) throws(LupineError) -> StreamStep {
    let flush =
      switch operation {
      case .process: Z_NO_FLUSH
      case .flush: Z_SYNC_FLUSH
      case .finish: Z_FINISH
      }
    let result = stream.exchange(input, chunk) { CZlib.deflate($0, flush) }
    guard result.code == Z_OK || result.code == Z_STREAM_END || result.code == Z_BUF_ERROR else {
      throw .unencodable(coding, stream.message(for: result.code))
    }
    return result.step
  }
}

extension UnsafeMutablePointer<z_stream> {
  /// Performs one call of zlib on the two buffers; returns its code and its progress.
  fileprivate func exchange(
    _ input: UnsafeRawBufferPointer, _ chunk: UnsafeMutableRawBufferPointer, _ call: (z_streamp) -> CInt
  ) -> (code: CInt, step: StreamStep) {
    // zlib counts in 32 bits; the next call takes the rest.
    let offered = UInt32(clamping: input.count)
    let room = UInt32(clamping: chunk.count)
    // zlib does not write through next_in, although its type lacks `const`.
    pointee.next_in = UnsafeMutablePointer<UInt8>(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    pointee.avail_in = offered
    pointee.next_out = chunk.baseAddress?.assumingMemoryBound(to: UInt8.self)
    pointee.avail_out = room
    let code = call(self)
    let step = StreamStep(
      consumed: Int(offered - pointee.avail_in), produced: Int(room - pointee.avail_out),
      isComplete: code == Z_STREAM_END)
    pointee.next_in = nil
    pointee.next_out = nil
    return (code, step)
  }

  /// zlib's message for an error.
  fileprivate func message(for code: CInt) -> String {
    if let text = pointee.msg { return String(cString: text) }
    return String(cString: zError(code))
  }
}

/// Encodes with deflate, in the gzip or the zlib format.
struct ZlibCompressor: EncodingStream, ~Copyable {
  /// The format around the deflate data.
  enum Format: String {
    case gzip
    case zlib = "deflate"
  }

  private let handle: DeflateHandle
  private let format: Format

  init(format: Format, level: Int) throws(LupineError) {
    self.format = format
    handle = try DeflateHandle(windowBits: format == .gzip ? 15 + 16 : 15, level: level, coding: format.rawValue)
  }

  mutating func encode(
    _ input: UnsafeRawBufferPointer, _ operation: EncodingOperation, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    try handle.deflate(input, operation, into: chunk, coding: format.rawValue)
  }
}
