import CLibcurl
import Glibc
import LupineCore

/// Wakes a loop that sleeps in `epoll_wait`; owns the eventfd.
///
/// The poller tells of each ring once, so that nothing has to be read; the count of rings ends at 2⁶⁴ only.
final class WakeUp: Sendable {
  let descriptor: Int32

  init() throws(LupineError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemFailure.error("An eventfd cannot be made") }
  }

  deinit { close(descriptor) }

  func ring() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }
}
