import DequeModule
import LupineFoundation
import LupineSupport

/// An instant of a virtual clock, as the time since the clock was made.
public struct VirtualInstant: InstantProtocol {
  /// The time since the clock was made.
  public let offset: Duration

  /// Creates an instant.
  public init(offset: Duration = .zero) { self.offset = offset }

  /// Returns the instant that is `duration` later, by at most 292 years.
  public func advanced(by duration: Duration) -> VirtualInstant {
    VirtualInstant(offset: (offset.boundedTime + duration.bounded).boundedTime)
  }

  /// Returns how much later the other instant is.
  public func duration(to other: VirtualInstant) -> Duration { other.offset.boundedTime - offset.boundedTime }

  /// Returns the instant that is `duration` later, by at most 292 years.
  public static func + (instant: VirtualInstant, duration: Duration) -> VirtualInstant {
    instant.advanced(by: duration)
  }

  /// Returns the instant that is `duration` earlier, by at most 292 years.
  public static func - (instant: VirtualInstant, duration: Duration) -> VirtualInstant {
    VirtualInstant(offset: (instant.offset.boundedTime - duration.bounded).boundedTime)
  }

  /// Returns how much later the left instant is.
  public static func - (left: VirtualInstant, right: VirtualInstant) -> Duration { right.duration(to: left) }

  /// Returns the date at this instant, for a clock that was made at `start`.
  func date(from start: Date) -> Date { start.addingTimeInterval(offset / .seconds(1)) }

  /// Whether the left instant is earlier.
  public static func < (left: VirtualInstant, right: VirtualInstant) -> Bool { left.offset < right.offset }
}

/// The scheduled actions of a virtual clock, and its time.
struct TimerQueue {
  private struct Entry {
    let deadline: VirtualInstant
    let number: UInt64
    let action: @Sendable () -> Void
  }

  private(set) var now = VirtualInstant()
  private var entries: Deque<Entry> = []
  private var lastNumber: UInt64 = 0

  /// The deadline of the earliest action.
  var nextDeadline: VirtualInstant? { entries.first?.deadline }

  /// Schedules an action and returns its number for removal; actions with equal deadlines keep their order.
  mutating func add(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> UInt64 {
    lastNumber += 1
    let index = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
    entries.insert(Entry(deadline: deadline, number: lastNumber, action: action), at: index)
    return lastNumber
  }

  /// Advances the time to the next deadline, and removes and returns one of its actions.
  ///
  /// - Parameter choose: picks an action by its index from 0, given the number of actions.
  mutating func takeNext(_ choose: (Int) -> Int) -> (@Sendable () -> Void)? {
    guard let first = entries.first else { return nil }
    now = max(now, first.deadline)
    let simultaneous = entries.prefix { $0.deadline == first.deadline }.count
    return entries.remove(at: choose(simultaneous)).action
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

  /// Advances the time to the first deadline up to `limit` and returns its action; without one, advances to `limit`.
  mutating func step(to limit: VirtualInstant) -> (@Sendable () -> Void)? {
    guard let first = entries.first, first.deadline <= limit else {
      now = max(now, limit)
      return nil
    }
    now = max(now, first.deadline)
    entries.removeFirst()
    return first.action
  }
}
