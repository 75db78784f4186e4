import Dispatch

/// Calls handlers where their callers want them.
enum Queueing {
  static func call(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) async {
    guard let queue else { return body() }
    await withUnsafeContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }
}
