import Glibc
import Synchronization

/// Timers on threads of their own, for a process that has no descriptor left when it sets its first timer.
///
/// libdispatch, on which the system's clocks sleep, opens descriptors for its first timer and ends the process where there
/// are none.
enum ThreadTimer {
  /// What libdispatch opens, and some more.
  private static let descriptors = 8
  private static let isSafe = Atomic(false)
  /// How long a cancelled timer's thread lives at most.
  private static let slice = Duration.milliseconds(50)

  /// Whether libdispatch might lack descriptors for its first timer.
  static var isNeeded: Bool {
    if isSafe.load(ordering: .relaxed) { return false }
    var opened: [Int32] = []
    while opened.count < descriptors, let next = open() { opened.append(next) }
    defer { for each in opened { close(each) } }
    guard opened.count == descriptors else { return true }
    isSafe.store(true, ordering: .relaxed)
    return false
  }

  private static func open() -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    return descriptor < 0 ? nil : descriptor
  }

  private final class Mark: Sendable {
    let isCancelled = Atomic(false)
  }

  /// Calls `action` after a time, unless it is cancelled before; at once where no thread can be started.
  static func schedule(_ time: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let mark = Mark()
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-timer") {
        var rest = time
        while rest > .zero, !mark.isCancelled.load(ordering: .relaxed) {
          let next = min(rest, slice)
          var pause = timespec(tv_sec: 0, tv_nsec: Int(next.nanoseconds))
          nanosleep(&pause, nil)
          rest -= next
        }
        if !mark.isCancelled.load(ordering: .relaxed) { action() }
      }.detach()
    } catch {
      action()
    }
    return ScheduledTimer { mark.isCancelled.store(true, ordering: .relaxed) }
  }

  /// Sleeps for a time; a cancellation ends the sleep soon.
  static func sleep(_ time: Duration) async throws {
    var rest = time
    while rest > .zero {
      let next = min(rest, slice)
      await withUnsafeContinuation { (waiter: UnsafeContinuation<Void, Never>) in
        _ = schedule(next) { waiter.resume() }
      }
      try Task.checkCancellation()
      rest -= next
    }
  }
}
