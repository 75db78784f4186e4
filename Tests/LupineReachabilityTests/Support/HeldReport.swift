import Glibc
import Synchronization

/// Blocks the first thread that calls `pass()` until `release()`; later calls do not block.
final class HeldReport: Sendable {
  private let descriptors: [Int32]
  private let isHeld = Atomic(false)
  private let held: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    descriptors = ends
    (held, continuation) = AsyncStream.makeStream()
  }

  deinit { descriptors.forEach { close($0) } }

  /// Blocks at its first call.
  func pass() {
    guard !isHeld.exchange(true, ordering: .relaxed) else { return }
    continuation.finish()
    var byte: UInt8 = 0
    _ = read(descriptors[0], &byte, 1)
  }

  /// Waits until a thread is blocked in `pass()`.
  func waitUntilHeld() async { for await _ in held {} }

  func release() {
    var byte: UInt8 = 1
    _ = write(descriptors[1], &byte, 1)
  }
}
