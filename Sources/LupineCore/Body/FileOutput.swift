import Glibc

/// A file that a response's body is written to.
final class FileOutput: Sendable {
  /// A copy of the opener's descriptor, so that a write that is under way never reaches another file.
  private let descriptor: Int32
  private let offset: Int64
  private let limit: Int64?

  /// - Parameter limit: the maximum number of bytes of the body.
  init(_ descriptor: Int32, from offset: Int64, limit: Int64?) throws(LupineError) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    self.offset = offset
    self.limit = limit
    guard self.descriptor >= 0 else { throw Self.failure(FileFailure.path(of: descriptor), code: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes the bytes that end at a position; it blocks until the system has taken them.
  ///
  /// - Parameter count: the number of bytes of the body up to the end of these.
  func write(_ bytes: UnsafeRawBufferPointer, upTo count: Int64) throws(LupineError) {
    if let limit, count > limit { throw BodyTarget.exceeds(limit, .sink) }
    guard let error = bytes.write(to: descriptor, at: offset + count - Int64(bytes.count)) else { return }
    throw Self.failure(FileFailure.path(of: descriptor), code: error)
  }

  private static func failure(_ path: String, code: Int32) -> LupineError {
    LupineError.file(
      path, code: code, message: "The response's file cannot be written: \(String(cString: strerror(code))).")
  }
}
