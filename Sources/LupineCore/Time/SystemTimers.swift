import LupineSupport
import Synchronization

/// The timers of one clock of the system, for all sessions of the process, on one thread.
///
/// `Task.sleep` keeps a cancelled sleep in memory until its deadline. With a connect timeout of 30 seconds, that would be
/// one sleep for each connection of the last 30 seconds. Besides, libdispatch opens descriptors for its first timer, and
/// terminates the process if none is left.
final class SystemTimers: Sendable {
  typealias Sleep = @Sendable (Duration) async throws -> Void

  static let continuous = SystemTimers(
    readNanoseconds: { SystemTime.nanosecondsSinceBoot }, sleep: { try await Task.sleep(for: $0, clock: .continuous) })
  static let suspending = SystemTimers(
    readNanoseconds: { SystemTime.nanosecondsAwake }, sleep: { try await Task.sleep(for: $0, clock: .suspending) })

  /// The longest wait of the thread.
  ///
  /// The wait does not count the time in which the system is suspended, so the thread looks at the clock at least this
  /// often.
  private static let longestWait = Duration.seconds(60)

  /// Returns the time of the clock, which the kernel counts from the start of the system.
  let readNanoseconds: @Sendable () -> Int64
  private let systemSleep: Sleep
  private let startThread: SystemThread.Start
  private let queue = DeadlineQueue()
  private let alarm = ThreadAlarm()
  private let isRunning = Mutex(false)

  /// - Parameters:
  ///   - sleep: waits on the clock without the thread.
  ///   - startThread: runs the closure on a new thread; throws if the system refuses one.
  init(
    readNanoseconds: @escaping @Sendable () -> Int64, sleep: @escaping Sleep,
    startThread: @escaping SystemThread.Start = { (run) throws(SystemThread.Failure) in
      try SystemThread("lupine-timer", run).detach()
    }
  ) {
    self.readNanoseconds = readNanoseconds
    self.startThread = startThread
    systemSleep = sleep
  }

  private var now: Duration { .nanoseconds(readNanoseconds()) }

  /// Calls the action on the thread of the timers after a delay, unless the returned timer is cancelled before.
  ///
  /// If the system refuses the thread, a task sleeps for this timer and calls the action. That needs more of the system
  /// than the thread does, but no timer fires too early or not at all.
  func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    guard startThreadIfNeeded() else {
      let task = Task.detached { [systemSleep] in
        try await systemSleep(delay)
        action()
      }
      return ScheduledTimer { task.cancel() }
    }
    let (number, isEarliest) = queue.add(now + delay, action)
    if isEarliest { alarm.set() }
    return ScheduledTimer { [queue] in queue.remove(number) }
  }

  /// Waits for a delay; throws if the task is cancelled.
  func sleep(_ delay: Duration) async throws {
    let isOver = Signal()
    let timer = schedule(delay) { isOver.set() }
    await isOver.wait()
    timer.cancel()
    try Task.checkCancellation()
  }

  /// Starts the thread if it does not run; returns whether it runs now.
  private func startThreadIfNeeded() -> Bool {
    isRunning.withLock { isRunning in
      if isRunning { return true }
      do throws(SystemThread.Failure) {
        try startThread { [self] in run() }
        isRunning = true
      } catch {}
      return isRunning
    }
  }

  private func run() {
    while true {
      while let action = queue.takeOverdue(now) { action() }
      let earliest = queue.earliest
      alarm.wait(atMost: earliest.map { min($0 - now, Self.longestWait) })
    }
  }
}
