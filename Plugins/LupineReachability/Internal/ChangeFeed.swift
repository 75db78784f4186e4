import LupineCore
import Synchronization

/// Hands a source's changes to any number of streams, by one watch that lasts as long as there is a stream.
final class ChangeFeed<Value: Sendable & Equatable>: Sendable {
  typealias Subscribe = @Sendable (_ receive: @escaping @Sendable (Value) -> Void) -> NetworkPathWatch

  private struct State {
    var filter: ChangeFilter<Value>
    var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
    var lastID: UInt64 = 0
    /// Counts the watches, so that what a former one still says is not heard.
    var generation: UInt64 = 0
    var watch: NetworkPathWatch?
    var timer: ScheduledTimer?
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

  /// What was reported last, while anybody listens.
  var latest: Value? { state.withLock { $0.filter.reported } }

  /// The value as it is, as soon as that is known, and then every change, once and in order.
  func stream() -> AsyncStream<Value> { open().stream }

  /// The same, and what ends it at once, whoever loops over it.
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
    let watch: NetworkPathWatch? = state.withLock { state in
      guard state.streams.removeValue(forKey: id) != nil, state.streams.isEmpty else { return nil }
      state.generation += 1
      state.filter = ChangeFilter(waits: state.filter.waits)
      state.timer?.cancel()
      state.timer = nil
      defer { state.watch = nil }
      return state.watch
    }
    watch?.cancel()
  }

  private func receive(_ value: Value, _ generation: UInt64) {
    state.withLock { state in
      guard state.generation == generation else { return }
      let action = state.filter.receive(value)
      if action == .none { return }
      state.timer?.cancel()
      state.timer = nil
      switch action {
      case .report(let value): Self.report(value, state)
      case .wait: state.timer = clock.schedule(debounce) { [weak self] in self?.expire(generation) }
      case .stopWaiting, .none: break
      }
    }
  }

  private func expire(_ generation: UInt64) {
    state.withLock { state in
      guard state.generation == generation, let value = state.filter.expire() else { return }
      state.timer = nil
      Self.report(value, state)
    }
  }

  private static func report(_ value: Value, _ state: State) {
    for continuation in state.streams.values { continuation.yield(value) }
  }
}
