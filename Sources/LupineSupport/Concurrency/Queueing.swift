package import Dispatch

/// Calls handlers where their callers want them.
package enum Queueing {
  package static func call(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) async {
    guard let queue else { return body() }
    await withUnsafeContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }
}
