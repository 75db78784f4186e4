public import Dispatch

/// Calls handlers where their callers want them.
public enum Queueing {
  /// Calls the closure on the queue and returns when it has returned; without a queue, calls it at once.
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
