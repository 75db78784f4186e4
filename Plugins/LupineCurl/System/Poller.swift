import CLibcurl
import LupineCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns an epoll descriptor and the buffer for its events.
final class Poller {
  static let readable: UInt32 = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
  static let writable: UInt32 = EPOLLOUT.rawValue
  static let broken: UInt32 = EPOLLERR.rawValue | EPOLLHUP.rawValue
  /// Combined with other events: reports the descriptor only when it becomes ready.
  static let edgeTriggered: UInt32 = EPOLLET.rawValue
  static let halfClosed: UInt32 = EPOLLRDHUP.rawValue

  private static let capacity = 256
  private let descriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private(set) var count = 0

  init() throws(LupineError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError.last.failure("An epoll descriptor cannot be created") }
    events = .allocate(capacity: Self.capacity)
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  /// Waits until a descriptor is ready or the time has elapsed; -1 waits forever.
  func wait(milliseconds: Int32) {
    count = max(0, Int(epoll_wait(descriptor, events, Int32(Self.capacity), milliseconds)))
  }

  func event(_ index: Int) -> (descriptor: Int32, readiness: UInt32) {
    (lupine_epoll_descriptor(events, Int32(index)), lupine_epoll_readiness(events, Int32(index)))
  }

  /// Watches a descriptor for these events, even if it is already watched.
  func watch(_ target: Int32, for events: UInt32, isWatched: Bool) {
    if isWatched, lupine_epoll_control(descriptor, EPOLL_CTL_MOD, target, events) == 0 { return }
    if lupine_epoll_control(descriptor, EPOLL_CTL_ADD, target, events) != 0, errno == EEXIST {
      _ = lupine_epoll_control(descriptor, EPOLL_CTL_MOD, target, events)
    }
  }

  func unwatch(_ target: Int32) { _ = lupine_epoll_control(descriptor, EPOLL_CTL_DEL, target, 0) }
}

/// Owns an eventfd that wakes a loop from `epoll_wait`.
///
/// The poller reports each signal once, so the counter is never read. It has room for almost 2⁶⁴ signals.
final class WakeUp: Sendable {
  let descriptor: Int32

  init() throws(LupineError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError.last.failure("An eventfd cannot be created") }
  }

  deinit { close(descriptor) }

  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }
}
