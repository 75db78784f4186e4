import CLibcurl
import Glibc
import LupineCore

/// Owns an epoll descriptor and the space for its events.
final class Poller {
  static let readable: UInt32 = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
  static let writable: UInt32 = EPOLLOUT.rawValue
  static let broken: UInt32 = EPOLLERR.rawValue | EPOLLHUP.rawValue
  /// With another: the descriptor is told of once each time it becomes ready, and not for as long as it is.
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

  /// Waits until a descriptor is ready or the time is up; -1 waits for ever.
  func wait(milliseconds: Int32) {
    count = max(0, Int(epoll_wait(descriptor, events, Int32(Self.capacity), milliseconds)))
  }

  func event(_ index: Int) -> (descriptor: Int32, readiness: UInt32) {
    (lupine_epoll_descriptor(events, Int32(index)), lupine_epoll_readiness(events, Int32(index)))
  }

  /// Watches a descriptor for these events, whether or not it is watched already.
  func watch(_ target: Int32, for events: UInt32, isWatched: Bool) {
    if isWatched, lupine_epoll_control(descriptor, EPOLL_CTL_MOD, target, events) == 0 { return }
    if lupine_epoll_control(descriptor, EPOLL_CTL_ADD, target, events) != 0, errno == EEXIST {
      _ = lupine_epoll_control(descriptor, EPOLL_CTL_MOD, target, events)
    }
  }

  func forget(_ target: Int32) { _ = lupine_epoll_control(descriptor, EPOLL_CTL_DEL, target, 0) }
}
