public import LupineCore
import Synchronization

/// Tells whether requests are under way, as the network indicator of a phone does: calmly, not for every short request.
///
/// The activity becomes `active` when requests have been under way for `startDelay`, and `idle` when none has been for
/// `completionDelay`. A request is under way from its start to its end, retries included, except while it is suspended.
///
/// ```swift
/// let activity = NetworkActivity()
/// let busy = try Session.Builder().transport(transport).monitor(activity).build()
/// let indicator = Task {
///   for await state in activity.states { show(state.isShown ? "working …" : "") }
/// }
/// ```
///
/// One activity can be the monitor of several sessions and then counts their requests together. The requests of two
/// sessions have equal identifiers: one that is suspended or cancelled before it starts can hide a request of another
/// session with its number, until both have ended. Use an activity for each session if the program suspends or cancels
/// requests and needs the exact count.
public final class NetworkActivity: EventMonitor {
  /// The state of an activity.
  public enum State: Sendable, Hashable {
    /// No request is under way.
    case idle
    /// Requests are under way, but not long enough to be shown.
    case delayingStart
    /// Requests have been under way for the start delay.
    case active
    /// No request is under way any more, but not for long enough to hide the activity.
    case delayingCompletion

    /// Whether an indicator shows the activity: in the states `active` and `delayingCompletion`.
    public var isShown: Bool { self == .active || self == .delayingCompletion }
  }

  private struct Shared {
    var count = RequestCount()
    var machine = ActivityMachine()
    var timer: ScheduledTimer?
    var streams: [UInt64: AsyncStream<State>.Continuation] = [:]
    var lastStream: UInt64 = 0
    /// The states that are not yet in the streams, in order.
    var reports: [(state: State, streams: [AsyncStream<State>.Continuation])] = []
    var isReporting = false
  }

  /// How long requests are under way before the activity is active.
  public let startDelay: Duration
  /// How long no request is under way before the activity is idle.
  public let completionDelay: Duration
  private let clock: SessionClock
  private let shared = Mutex(Shared())

  /// Creates an activity without requests.
  ///
  /// - Parameters:
  ///   - startDelay: how long requests are under way before the activity is active. Default: 1 second.
  ///   - completionDelay: how long no request is under way before the activity is idle. Default: 0.2 seconds.
  ///   - clock: the clock of the delays, usually that of the sessions. Default: a `ContinuousClock`.
  public init(
    startDelay: Duration = .seconds(1), completionDelay: Duration = .milliseconds(200),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.startDelay = startDelay
    self.completionDelay = completionDelay
    self.clock = SessionClock(clock)
  }

  deinit {
    let (timer, streams) = shared.withLock { ($0.timer, $0.streams) }
    timer?.cancel()
    for stream in streams.values { stream.finish() }
  }

  /// The beginnings, the ends and the suspensions of requests.
  public var kinds: SessionEvent.Kinds { [.started, .finished, .suspended, .resumed] }

  /// Counts a request; called by the session.
  public func receive(_ event: SessionEvent) {
    change { shared in
      shared.count.receive(event)
      return shared.machine.requestsChanged(areUnderWay: shared.count.underWay > 0)
    }
  }

  /// The current state.
  public var state: State { shared.withLock { $0.machine.state } }

  /// The number of requests that are under way, without the suspended ones.
  public var requestCount: Int { shared.withLock { $0.count.underWay } }

  /// The current state and then every change, in order.
  ///
  /// Each access makes a sequence of its own; any number may be read at the same time. A slow reader delays no request:
  /// the newest 64 states wait for it, and older ones are dropped. The sequence ends when the activity is released.
  public var states: AsyncStream<State> {
    let (stream, continuation) = AsyncStream<State>.makeStream(bufferingPolicy: .bufferingNewest(64))
    let number = shared.withLock { shared in
      shared.lastStream += 1
      shared.streams[shared.lastStream] = continuation
      shared.reports.append((shared.machine.state, [continuation]))
      return shared.lastStream
    }
    continuation.onTermination = { [weak self] _ in
      // Released outside the lock.
      _ = self?.shared.withLock { $0.streams.removeValue(forKey: number) }
    }
    report()
    return stream
  }

  /// Puts the states into the streams, outside the lock and in order: one thread does it at a time.
  private func report() {
    let isNeeded = shared.withLock { shared in
      if shared.isReporting || shared.reports.isEmpty { return false }
      shared.isReporting = true
      return true
    }
    while isNeeded {
      let reports = shared.withLock { shared in
        defer { shared.reports = [] }
        shared.isReporting = !shared.reports.isEmpty
        return shared.reports
      }
      if reports.isEmpty { return }
      for (state, streams) in reports { for stream in streams { stream.yield(state) } }
    }
  }

  /// Changes the state, reports it, and sets the timer that the new state needs.
  private func change(_ body: (inout Shared) -> ActivityMachine.Change?) {
    let (timer, wait) = shared.withLock { shared -> (ScheduledTimer?, ActivityMachine.Wait?) in
      guard let change = body(&shared) else { return (nil, nil) }
      if !shared.streams.isEmpty { shared.reports.append((change.state, Array(shared.streams.values))) }
      defer { shared.timer = nil }
      return (shared.timer, change.wait)
    }
    report()
    // A clock may be the caller's, so no lock is held.
    timer?.cancel()
    if let wait { setTimer(for: wait) }
  }

  private func setTimer(for wait: ActivityMachine.Wait) {
    let delay = wait.isForStart ? startDelay : completionDelay
    let timer = clock.schedule(delay) { [weak self] in self?.change { $0.machine.waitEnded(wait) } }
    let isOver = shared.withLock { shared in
      guard shared.machine.isWaiting(for: wait) else { return true }
      shared.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }
}

/// The transitions between the states of an activity.
struct ActivityMachine: Sendable {
  /// A delay that a state waits for.
  struct Wait: Sendable, Hashable {
    let number: Int
    let isForStart: Bool
  }

  /// A new state.
  struct Change: Sendable, Hashable {
    let state: NetworkActivity.State
    /// The delay after which the state changes by itself; `nil` if it does not.
    let wait: Wait?
  }

  private(set) var state = NetworkActivity.State.idle
  private var waitCount = 0

  /// Whether the end of this wait still changes the state.
  func isWaiting(for wait: Wait) -> Bool {
    wait.number == waitCount && state == (wait.isForStart ? .delayingStart : .delayingCompletion)
  }

  mutating func requestsChanged(areUnderWay: Bool) -> Change? {
    switch (state, areUnderWay) {
    case (.idle, true): enter(.delayingStart)
    case (.delayingStart, false): enter(.idle)
    case (.active, false): enter(.delayingCompletion)
    case (.delayingCompletion, true): enter(.active)
    default: nil
    }
  }

  mutating func waitEnded(_ wait: Wait) -> Change? {
    guard isWaiting(for: wait) else { return nil }
    return enter(wait.isForStart ? .active : .idle)
  }

  private mutating func enter(_ state: NetworkActivity.State) -> Change {
    self.state = state
    waitCount += 1
    let waits = state == .delayingStart || state == .delayingCompletion
    return Change(state: state, wait: waits ? Wait(number: waitCount, isForStart: state == .delayingStart) : nil)
  }
}

/// Counts the requests that are under way.
struct RequestCount: Sendable {
  /// The requests with one identifier, of which each session has one.
  private struct Group {
    var started = 0
    var suspended = 0

    var underWay: Int { max(0, started - suspended) }
  }

  private(set) var underWay = 0
  private var groups: [RequestID: Group] = [:]

  mutating func receive(_ event: SessionEvent) {
    var group = groups[event.request] ?? Group()
    underWay -= group.underWay
    switch event.kind {
    case .started: group.started += 1
    case .finished:
      // A request that is cancelled before its start finishes without it.
      group.started = max(0, group.started - 1)
      group.suspended = min(group.suspended, group.started)
    case .suspended: group.suspended += 1
    case .resumed: group.suspended = max(0, group.suspended - 1)
    default: break
    }
    underWay += group.underWay
    groups[event.request] = group.started + group.suspended > 0 ? group : nil
  }
}
