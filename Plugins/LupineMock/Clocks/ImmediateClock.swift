public import LupineCore
public import LupineFoundation
import Synchronization

/// A clock on which a sleep takes no time: it returns at once and moves the clock to its end.
///
/// Timers before that moment fire first, in order, each at its own moment. A request that stalls for a year thus ends
/// with its idle timeout at once. The clock suits sequential requests. If several tasks sleep at the same time, each
/// sleep moves the clock for all of them; use a `TestClock` for that.
public final class ImmediateClock: TimerClock, DatedClock {
  /// An instant, as the time since the clock was made.
  public typealias Instant = VirtualInstant

  private let state = Mutex(State())
  private let start: Date

  /// Makes a clock at time zero with a start date.
  ///
  /// - Parameter date: the start date. Default: 15 January 2027, 08:00 UTC.
  public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000)) { start = date }

  /// The current date, which advances with the time; a session with this clock uses it.
  public var date: Date { now.date(from: start) }

  /// The current time, which sleeps advance.
  public var now: VirtualInstant { state.withLock { $0.timers.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Moves the clock to the deadline and fires the timers before it.
  ///
  /// If another sleep fires a timer, waits for the end of its action first: the action may cancel this sleep.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, also by a timer that fires; the clock then stays at that
  ///   moment.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    while true {
      try Task.checkCancellation()
      switch state.withLock({ $0.step(to: deadline) }) {
      case .fire(let action):
        action()
        for sleeper in state.withLock({ $0.endAction() }) { sleeper.resume() }
      case .wait:
        await withCheckedContinuation { sleeper in
          if !state.withLock({ $0.add(sleeper) }) { sleeper.resume() }
        }
      case .end:
        return
      }
    }
  }

  /// Schedules an action, which is called on the thread of the sleep that passes its deadline.
  ///
  /// A deadline in the past fires at the next sleep.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = state.withLock { $0.timers.add(at: deadline, action) }
    return ScheduledTimer { [weak self] in self?.state.withLock { $0.timers.remove(number) } }
  }
}

extension ImmediateClock {
  /// The next step of a sleep.
  private enum Step {
    case fire(@Sendable () -> Void)
    /// Another sleep fires a timer.
    case wait
    /// The time of the sleep has come.
    case end
  }

  private struct State {
    var timers = TimerQueue()
    /// Whether a sleep calls the action of a timer.
    private var isFiring = false
    /// The sleeps that wait for the end of the action.
    private var sleepers: [CheckedContinuation<Void, Never>] = []

    mutating func step(to deadline: VirtualInstant) -> Step {
      if isFiring { return .wait }
      guard let action = timers.step(to: deadline) else { return .end }
      isFiring = true
      return .fire(action)
    }

    /// Adds a sleep that waits; returns `false` if the action has ended.
    mutating func add(_ sleeper: CheckedContinuation<Void, Never>) -> Bool {
      if isFiring { sleepers.append(sleeper) }
      return isFiring
    }

    /// Notes the end of the action, and returns the sleeps that have waited for it.
    mutating func endAction() -> [CheckedContinuation<Void, Never>] {
      isFiring = false
      defer { sleepers = [] }
      return sleepers
    }
  }
}

/// A clock whose timers fire while they are being set, for tests of code that sets timers.
struct EagerClock: TimerClock {
  init() {}

  var now: VirtualInstant { VirtualInstant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {}

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    action()
    return ScheduledTimer {}
  }
}
