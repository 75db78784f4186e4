import LupineSupport
import Synchronization

/// The timers of one clock of the system, for all sessions of the process, on one thread.
///
/// A sleep of the system's clock would not do. If it is cancelled, it keeps its memory until its deadline: a sleep for the
/// connect timeout of each new connection would keep that of all connections of the last half minute. Besides, libdispatch
/// opens descriptors for its first timer, and terminates the process if none is left.
final class SystemTimers: Sendable {
  static let continuous = SystemTimers { SystemTime.nanosecondsSinceBoot }
  static let suspending = SystemTimers { SystemTime.nanosecondsAwake }

  /// The longest wait of the thread, which does not notice how long the system is suspended.
  private static let longestWait = Duration.seconds(60)

  /// Returns the time of the clock, which the kernel counts from the start of the system.
  let nanoseconds: @Sendable () -> Int64
  private let queue = DeadlineQueue()
  private let alarm = ThreadAlarm()
  private let isRunning = Mutex(false)

  private init(_ nanoseconds: @escaping @Sendable () -> Int64) { self.nanoseconds = nanoseconds }

  private var now: Duration { .nanoseconds(nanoseconds()) }

  /// Calls the action on the thread of the timers after a delay, unless the returned timer is cancelled before.
  ///
  /// If the system refuses the thread, it calls the action at once, on the calling thread.
  func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let (number, isEarliest) = queue.add(now + delay, action)
    let timer = ScheduledTimer { [queue] in queue.remove(number) }
    guard isRunning.withLock({ isRunning in startThread(&isRunning) }) else {
      timer.cancel()
      action()
      return timer
    }
    if isEarliest { alarm.set() }
    return timer
  }

  /// Waits for a delay; throws if the task is cancelled.
  func sleep(_ delay: Duration) async throws {
    let isOver = Signal()
    let timer = schedule(delay) { isOver.set() }
    await isOver.wait()
    timer.cancel()
    try Task.checkCancellation()
  }

  private func startThread(_ isRunning: inout Bool) -> Bool {
    if isRunning { return true }
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-timer") { [self] in run() }.detach()
      isRunning = true
    } catch {}
    return isRunning
  }

  private func run() {
    while true {
      for action in queue.takeOverdue(now) { action() }
      let earliest = queue.earliest
      alarm.wait(atMost: earliest.map { min($0 - now, Self.longestWait) })
    }
  }
}
