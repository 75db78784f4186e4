import LupineCore
import Synchronization

/// Distributes a source's changes to any number of streams, with one watch that lasts as long as there is a stream.
final class ChangeFeed<Value: Sendable & Equatable>: Sendable {
  typealias Subscribe = @Sendable (_ receive: @escaping @Sendable (Value) -> Void) -> NetworkPathWatch

  private struct State {
    var filter: ChangeFilter<Value>
    var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
    var lastID: UInt64 = 0
    /// The number of the current watch; values from an earlier watch are ignored.
    var generation: UInt64 = 0
    var watch: NetworkPathWatch?
    var timer: ScheduledTimer?
    /// The number of the current wait; the timer of an earlier wait does nothing.
    var wait: UInt64 = 0

    /// Ends the wait; returns its timer, to be cancelled outside the lock, because the clock may be the caller's.
    mutating func endWait() -> ScheduledTimer? {
      wait += 1
      defer { timer = nil }
      return timer
    }

    /// Sends a value to every stream.
    ///
    /// The caller holds the lock, which keeps the order. A stream only schedules its consumer, so the call does not
    /// block.
    func report(_ value: Value) {
      for continuation in streams.values { continuation.yield(value) }
    }
  }

  private let debounce: Duration
  private let clock: SessionClock
  private let subscribe: Subscribe
  private let state: Mutex<State>

  init(debounce: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(), subscribe: @escaping Subscribe) {
    self.debounce = debounce
    self.clock = SessionClock(clock)
    self.subscribe = subscribe
    state = Mutex(State(filter: ChangeFilter(waits: debounce > .zero)))
  }

  /// The last reported value; `nil` without a stream.
  var latest: Value? { state.withLock { $0.filter.reported } }

  /// Returns a stream of the current value and of every change, once and in order.
  func stream() -> AsyncStream<Value> { open().stream }

  /// Returns the same stream, and a closure that ends it.
  func open() -> (stream: AsyncStream<Value>, end: @Sendable () -> Void) {
    let (stream, continuation) = AsyncStream<Value>.makeStream()
    let (id, first) = state.withLock { state in
      state.lastID += 1
      state.streams[state.lastID] = continuation
      if let value = state.filter.reported { continuation.yield(value) }
      return (state.lastID, state.streams.count == 1 ? state.generation : nil)
    }
    continuation.onTermination = { _ in self.remove(id) }
    if let first { begin(first) }
    return (stream, { continuation.finish() })
  }

  private func begin(_ generation: UInt64) {
    let watch = subscribe { [weak self] in self?.receive($0, generation) }
    let isStale = state.withLock { state in
      guard state.generation == generation else { return true }
      state.watch = watch
      return false
    }
    if isStale { watch.cancel() }
  }

  private func remove(_ id: UInt64) {
    let (watch, timer) = state.withLock { state -> (NetworkPathWatch?, ScheduledTimer?) in
      guard state.streams.removeValue(forKey: id) != nil, state.streams.isEmpty else { return (nil, nil) }
      state.generation += 1
      state.filter = ChangeFilter(waits: state.filter.waits)
      defer { state.watch = nil }
      return (state.watch, state.endWait())
    }
    timer?.cancel()
    watch?.cancel()
  }

  private func receive(_ value: Value, _ generation: UInt64) {
    let (timer, wait) = state.withLock { state -> (ScheduledTimer?, UInt64?) in
      guard state.generation == generation else { return (nil, nil) }
      let action = state.filter.receive(value)
      if action == .none { return (nil, nil) }
      let timer = state.endWait()
      if case .report(let value) = action { state.report(value) }
      return (timer, action == .wait ? state.wait : nil)
    }
    timer?.cancel()
    if let wait { setTimer(for: wait) }
  }

  /// Sets the timer outside the lock, because a clock may fire it immediately.
  private func setTimer(for wait: UInt64) {
    let timer = clock.schedule(debounce) { [weak self] in self?.expire(wait) }
    let isOver = state.withLock { state in
      guard state.wait == wait else { return true }
      state.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }

  private func expire(_ wait: UInt64) {
    state.withLock { state in
      guard state.wait == wait, let value = state.filter.expire() else { return }
      _ = state.endWait()
      state.report(value)
    }
  }
}

/// Selects the values to report: the first, and every value that differs from the last report after the debounce time.
struct ChangeFilter<Value: Equatable> {
  enum Action: Equatable {
    case report(Value)
    /// Start the debounce timer, which calls `expire`.
    case wait
    /// Cancel the debounce timer.
    case stopWaiting
    case none
  }

  /// Whether a change must last for the debounce time.
  let waits: Bool
  private(set) var reported: Value?
  private var held: Value?

  init(waits: Bool) { self.waits = waits }

  mutating func receive(_ value: Value) -> Action {
    if value == reported {
      defer { held = nil }
      return held == nil ? .none : .stopWaiting
    }
    guard waits, reported != nil else {
      reported = value
      return .report(value)
    }
    if value == held { return .none }
    held = value
    return .wait
  }

  /// Returns the value that lasted for the debounce time.
  mutating func expire() -> Value? {
    guard let held else { return nil }
    self.held = nil
    reported = held
    return held
  }
}
