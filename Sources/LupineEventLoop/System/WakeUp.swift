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
/// Nothing reads the counter. A poller reports each signal once (edge-triggered); a thread without a poller uses a new
/// `WakeUp` for each wait. The counter has room for almost 2⁶⁴ signals.
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
  /// A failed call is repeated, because a lost signal would leave the thread asleep. EAGAIN means that the counter is
  /// full, so a signal is already pending.
  public func signal() {
    var one: UInt64 = 1
    for _ in 0..<Self.attempts {
      if write(descriptor, &one, 8) > 0 || errno == EAGAIN { return }
    }
  }

  private static let attempts = 8
}
