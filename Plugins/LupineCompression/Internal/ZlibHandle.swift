import CZlib
import LupineCore

/// Owns zlib's stream for decoding.
///
/// zlib keeps a pointer to the stream, so the stream stands on the heap and never moves. `@unchecked Sendable`: the
/// handle is the only owner of its memory and cannot be copied, and zlib ties a stream to no thread.
struct InflateHandle: ~Copyable, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>

  /// Prepares for gzip (31), zlib (15) or bare deflate (-15), with a window of 32 KiB.
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

  /// Starts again, for the next member or for another format.
  func reset(windowBits: Int32) { inflateReset2(stream, windowBits) }

  /// Decodes what it can.
  func inflate(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer, coding: String
  ) throws(LupineError) -> StreamStep {
    let result = stream.exchange(input, chunk) { CZlib.inflate($0, Z_NO_FLUSH) }
    // Z_BUF_ERROR says that there was nothing to do, which is no error.
    guard result.code == Z_OK || result.code == Z_STREAM_END || result.code == Z_BUF_ERROR else {
      throw .undecodable(coding, stream.message(for: result.code))
    }
    return result.step
  }
}

/// Owns zlib's stream for encoding.
///
/// zlib keeps a pointer to the stream, so the stream stands on the heap and never moves. `@unchecked Sendable`: the
/// handle is the only owner of its memory and cannot be copied, and zlib ties a stream to no thread.
struct DeflateHandle: ~Copyable, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>

  /// Prepares for gzip (31) or zlib (15), with a window of 32 KiB.
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

  /// Encodes what it can; at the end, hands out what zlib holds back.
  func deflate(
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer, coding: String
  ) throws(LupineError) -> StreamStep {
    let result = stream.exchange(input, chunk) { CZlib.deflate($0, isEnd ? Z_FINISH : Z_NO_FLUSH) }
    guard result.code == Z_OK || result.code == Z_STREAM_END || result.code == Z_BUF_ERROR else {
      throw .unencodable(coding, stream.message(for: result.code))
    }
    return result.step
  }
}

extension UnsafeMutablePointer<z_stream> {
  /// Runs one call of zlib over the two buffers and says how far it came.
  fileprivate func exchange(
    _ input: UnsafeRawBufferPointer, _ chunk: UnsafeMutableRawBufferPointer, _ call: (z_streamp) -> CInt
  ) -> (code: CInt, step: StreamStep) {
    // zlib counts in 32 bits; what does not fit waits for the next call.
    let offered = UInt32(clamping: input.count)
    let room = UInt32(clamping: chunk.count)
    // zlib does not write through next_in; its type merely lacks `const`.
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

  /// zlib's own text for what went wrong.
  fileprivate func message(for code: CInt) -> String {
    if let text = pointee.msg { return String(cString: text) }
    return String(cString: zError(code))
  }
}
