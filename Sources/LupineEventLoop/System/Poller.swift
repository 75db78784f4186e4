import CSockets
public import LupineCore

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
public final class Poller {
  /// There are bytes to read, or the peer has closed its sending direction.
  public static let readable: UInt32 = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
  /// The socket accepts bytes to send.
  public static let writable: UInt32 = EPOLLOUT.rawValue
  /// The connection has failed, or both directions have ended.
  public static let broken: UInt32 = EPOLLERR.rawValue | EPOLLHUP.rawValue
  /// Combined with other events: reports the descriptor only when it becomes ready.
  public static let edgeTriggered: UInt32 = EPOLLET.rawValue
  /// The peer has closed its sending direction.
  public static let halfClosed: UInt32 = EPOLLRDHUP.rawValue

  private static let capacity = 256
  private let descriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  /// The number of events of the last wait.
  public private(set) var count = 0

  /// - Throws: `LupineError` of kind `other` if the limit of descriptors is reached.
  public init() throws(LupineError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError.last.failure("An epoll descriptor cannot be created") }
    events = .allocate(capacity: Self.capacity)
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  /// Waits until a descriptor is ready or the time has elapsed; -1 waits forever.
  public func wait(milliseconds: Int32) {
    count = max(0, Int(epoll_wait(descriptor, events, Int32(Self.capacity), milliseconds)))
  }

  /// Returns a descriptor of the last wait, and what it is ready for.
  public func event(_ index: Int) -> (descriptor: Int32, readiness: UInt32) {
    (lupine_epoll_descriptor(events, Int32(index)), lupine_epoll_readiness(events, Int32(index)))
  }

  /// Watches a descriptor for these events, even if it is already watched.
  ///
  /// - Throws: the error of the system, which has no memory or no watch left. No event of the descriptor will be reported.
  public func watch(_ target: Int32, for events: UInt32, isWatched: Bool) throws(SystemError) {
    if isWatched, lupine_epoll_control(descriptor, EPOLL_CTL_MOD, target, events) == 0 { return }
    if lupine_epoll_control(descriptor, EPOLL_CTL_ADD, target, events) == 0 { return }
    guard errno == EEXIST, lupine_epoll_control(descriptor, EPOLL_CTL_MOD, target, events) == 0 else {
      throw SystemError.last
    }
  }

  /// Watches for the signals of a wake-up.
  ///
  /// - Throws: `LupineError` of kind `other` if the system has no memory or no watch left.
  public func watch(_ wakeUp: WakeUp) throws(LupineError) {
    do throws(SystemError) {
      try watch(wakeUp.descriptor, for: Self.readable | Self.edgeTriggered, isWatched: false)
    } catch {
      throw error.failure("An eventfd cannot be watched")
    }
  }

  /// Stops watching a descriptor.
  public func unwatch(_ target: Int32) { _ = lupine_epoll_control(descriptor, EPOLL_CTL_DEL, target, 0) }
}
