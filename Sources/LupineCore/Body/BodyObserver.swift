import Synchronization

/// Receives every byte of a response's body on its way to the body's destination, and the end of the body.
///
/// A layer adds an observer with `ResponseBody.tee(into:)`, for example to store a response while the program reads it.
/// An observer holds the state of one body. Its calls do not overlap. They come while the consumer of the body waits,
/// on a thread that may wait for a disk; never on the transport's thread, and never under a lock. An observer may
/// therefore write to a file. A slow observer slows its own exchange down as a slow destination does: the transport
/// pauses while 256 KiB wait.
public protocol BodyObserver: AnyObject, Sendable {
  /// Receives the next bytes as they arrived, before content codings are removed; at least one.
  ///
  /// The pointer is valid only during the call.
  ///
  /// - Throws: any error. The session then drops the observer, which receives nothing more, not even the end. The
  ///   body and its consumer are not affected.
  func receive(_ bytes: UnsafeRawBufferPointer) throws

  /// Receives the end of the body, once, after its last byte.
  ///
  /// The consumer of a body that ends well sees the end after the observer has returned.
  ///
  /// - Parameter result: a success if every byte has passed and the body ended without an error; `byteCount` is then
  ///   the number of bytes that the observer received, and `data` is empty. Otherwise the error: that of the
  ///   connection, of a decoder or of a limit, the reason for a cancellation, or kind `cancelled` if the consumer gave
  ///   up the rest. The observer has then received an incomplete body (RFC 9111 section 3.3 decides about incomplete
  ///   responses).
  func end(_ result: Result<BodyEnd, LupineError>)
}

/// Passes a body to one observer, and the end once.
///
/// The calls do not overlap: they come from the work that one consumer at a time takes out of the channel, or when no
/// work is under way and none follows.
final class BodyTee: Sendable {
  /// The error if the consumer did not take the rest of the body.
  static let unwanted = LupineError(.cancelled, "The rest of the response's body was not wanted.")
  /// The error of an observer that was added after the body was opened.
  static let late = LupineError(
    .other, "The observer was added after the response's body had been opened; add it before the layer returns it.")

  /// `nil` once the observer has received the end, or has failed.
  private let observer: Mutex<(any BodyObserver)?>
  private let count = Atomic<Int64>(0)
  /// Returns the reason for the cancellation of the exchange, which owns this value and must not be retained.
  // It is called on the thread that passes on the end.
  private let cause: @Sendable () -> LupineError?

  init(_ observer: any BodyObserver, cause: @escaping @Sendable () -> LupineError?) {
    self.observer = Mutex(observer)
    self.cause = cause
  }

  // The channel was released before its body ended.
  deinit { failLater(Self.unwanted) }

  /// Passes bytes; drops an observer that throws.
  func pass(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, let observer = observer.withLock({ $0 }) else { return }
    do {
      try bytes.withUnsafeBytes { try observer.receive($0) }
      count.add(Int64(bytes.count), ordering: .relaxed)
    } catch {
      _ = take()
    }
  }

  /// Passes the end, on a thread that may wait.
  func finish(_ result: Result<BodyEnd, LupineError>) {
    guard let observer = take() else { return }
    let received = count.load(ordering: .relaxed)
    let end = result.map { BodyEnd(byteCount: received, trailers: $0.trailers, metrics: $0.metrics) }
    observer.end(end.mapError { reason(for: $0) })
  }

  /// Passes an error as the end, on another thread than the calling one, which may be a transport's.
  func failLater(_ error: LupineError) {
    guard let observer = take() else { return }
    let reason = reason(for: error)
    BlockingWork.start { observer.end(.failure(reason)) }
  }

  private func take() -> (any BodyObserver)? { observer.withLock { $0.take() } }

  /// Replaces the transport's `cancelled` error with the reason for the cancellation.
  private func reason(for error: LupineError) -> LupineError {
    guard error.kind == .cancelled, let reason = cause() else { return error }
    return error.metrics.map { reason.measured($0) } ?? reason
  }
}
