import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls the system's `close`, which a method of the same name hides.
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// A file that a response's body is written to.
final class FileOutput: Sendable {
  /// A copy of the opener's descriptor, so that a write that is under way never reaches another file.
  private let descriptor: Atomic<Int32>
  private let offset: Int64
  private let limit: Int64?

  /// - Parameter limit: the maximum number of bytes of the body.
  init(_ descriptor: Int32, from offset: Int64, limit: Int64?) throws(LupineError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    let code = errno
    self.descriptor = Atomic(copy)
    self.offset = offset
    self.limit = limit
    guard copy >= 0 else { throw Self.failure(FileFailure.path(of: descriptor), code: code) }
  }

  deinit { close() }

  /// Closes the file, so that its lock is released; no write may be under way.
  func close() {
    let descriptor = descriptor.exchange(-1, ordering: .relaxed)
    if descriptor >= 0 { closeDescriptor(descriptor) }
  }

  /// Writes the bytes that end at a position; it blocks until the system has taken them.
  ///
  /// - Parameter count: the number of bytes of the body up to the end of these.
  func write(_ bytes: UnsafeRawBufferPointer, upTo count: Int64) throws(LupineError) {
    if let limit, count > limit { throw LupineError.exceeds(limit, .sink) }
    let descriptor = descriptor.load(ordering: .relaxed)
    guard let error = bytes.write(to: descriptor, at: offset + count - Int64(bytes.count)) else { return }
    throw Self.failure(FileFailure.path(of: descriptor), code: error)
  }

  private static func failure(_ path: String, code: Int32) -> LupineError {
    LupineError.file(
      path, code: code, message: "The response's file cannot be written: \(String(cString: strerror(code))).")
  }
}
