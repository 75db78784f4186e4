import CLibcurl
import Glibc
import LupineCore

/// Owns an epoll descriptor and the buffer for its events.
final class Poller {
  static let readable: UInt32 = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
  static let writable: UInt32 = EPOLLOUT.rawValue
  static let broken: UInt32 = EPOLLERR.rawValue | EPOLLHUP.rawValue
  /// Combined with other events: reports the descriptor once each time it becomes ready (edge-triggered).
  static let once: UInt32 = EPOLLET.rawValue
  static let halfClosed: UInt32 = EPOLLRDHUP.rawValue

  private static let capacity = 256
  private let descriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private(set) var count = 0

  init() throws(LupineError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemFailure.error("An epoll descriptor cannot be made") }
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

  func forget(_ target: Int32) { _ = lupine_epoll_control(descriptor, EPOLL_CTL_DEL, target, 0) }
}
