import CLibcurl
import Glibc
import LupineCore

/// Owns an eventfd that wakes a loop from `epoll_wait`.
///
/// The poller reports each ring once, so the counter is never read. It has room for almost 2⁶⁴ rings.
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
