public import Dispatch

/// Calls handlers on the queue that the caller chose.
public enum Queueing {
  /// Calls the closure on the queue and returns after it; without a queue, calls the closure directly.
  public static func call(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) async {
    guard let queue else { return body() }
    await withUnsafeContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }
}
