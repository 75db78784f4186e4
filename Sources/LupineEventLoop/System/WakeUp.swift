import CSockets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns an eventfd that wakes a thread which waits for descriptors.
///
/// The counter is never read: a poller reports each signal once, and any other thread waits for one signal alone. The
/// counter can count almost 2⁶⁴ signals.
public final class WakeUp: Sendable {
  /// The descriptor, which is ready to read after a signal.
  public let descriptor: Int32

  /// - Throws: the error of the system, such as EMFILE if the limit of descriptors is reached.
  public init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError.last }
  }

  deinit { close(descriptor) }

  /// Wakes the thread; may be called from any thread.
  ///
  /// A signal that is lost would leave the thread asleep, so a failed call is repeated. A full counter (EAGAIN) is a signal
  /// that the thread has not seen.
  public func signal() {
    var one: UInt64 = 1
    for _ in 0..<Self.attempts {
      if write(descriptor, &one, 8) > 0 || errno == EAGAIN { return }
    }
  }

  private static let attempts = 8
}
