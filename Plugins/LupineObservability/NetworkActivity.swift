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
/// let states = activity.states
/// let indicator = Task {
///   for await state in states { show(state.isShown ? "working …" : "") }
/// }
/// ```
///
/// One activity can be the monitor of several sessions, and then counts their requests together.
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
    /// The requests of each session, by the number of its monitor; 0 for events that `receive(_:)` gets.
    var counts: [UInt64: RequestCount] = [:]
    var lastMonitor: UInt64 = 0
    var underWay = 0
    var machine = ActivityMachine()
    var timer: ScheduledTimer?
    var streams: [UInt64: AsyncStream<State>.Continuation] = [:]
    var lastStream: UInt64 = 0
    /// The states that are not yet in the streams, in order.
    var reports: [(state: State, streams: [AsyncStream<State>.Continuation])] = []
    var isReporting = false

    /// Changes the requests of a session, and returns the change of the state.
    mutating func count(_ monitor: UInt64, _ change: (inout RequestCount) -> Void) -> ActivityMachine.Change? {
      var count = counts[monitor, default: RequestCount()]
      underWay -= count.underWay
      change(&count)
      underWay += count.underWay
      counts[monitor] = count.isEmpty ? nil : count
      return machine.requestsChanged(areUnderWay: underWay > 0)
    }
  }

  /// How long requests are under way before the activity is active.
  public let startDelay: Duration
  /// How long no request is under way before the activity is idle.
  public let completionDelay: Duration
  private let clock: PolicyClock
  private let shared = Mutex(Shared())

  /// Creates an activity without requests.
  ///
  /// - Parameters:
  ///   - startDelay: how long requests are under way before the activity is active. Default: 1 second.
  ///   - completionDelay: how long no request is under way before the activity is idle. Default: 0.2 seconds.
  ///   - clock: the clock of the delays. Default: `nil`, the clock of the first session that makes a request.
  public init(
    startDelay: Duration = .seconds(1), completionDelay: Duration = .milliseconds(200),
    clock: (any Clock<Duration>)? = nil
  ) {
    self.startDelay = startDelay
    self.completionDelay = completionDelay
    self.clock = PolicyClock(clock)
  }

  deinit {
    let (timer, streams) = shared.withLock { ($0.timer, $0.streams) }
    timer?.cancel()
    for stream in streams.values { stream.finish() }
  }

  /// The beginnings, the ends and the suspensions of requests.
  public var kinds: SessionEvent.Kinds { [.started, .finished, .suspended, .resumed] }

  /// Returns a monitor that counts the requests of one session for this activity.
  public func makeMonitor(clock: any Clock<Duration>) -> any EventMonitor {
    let number = shared.withLock { shared in
      shared.lastMonitor += 1
      return shared.lastMonitor
    }
    return SessionMonitor(activity: self, number: number, clock: clock)
  }

  /// Counts a request of a session; a session calls the monitor that `makeMonitor(clock:)` returns instead.
  public func receive(_ event: SessionEvent) {
    change(on: clock.clock(or: ContinuousClock())) { shared in shared.count(0) { requests in requests.receive(event) } }
  }

  /// Counts the requests of one session, until the session is released.
  private final class SessionMonitor: EventMonitor {
    private let activity: NetworkActivity
    private let number: UInt64
    private let clock: any Clock<Duration>

    init(activity: NetworkActivity, number: UInt64, clock: any Clock<Duration>) {
      self.activity = activity
      self.number = number
      self.clock = clock
    }

    deinit { count { $0 = RequestCount() } }

    var kinds: SessionEvent.Kinds { activity.kinds }

    func receive(_ event: SessionEvent) { count { $0.receive(event) } }

    private func count(_ change: (inout RequestCount) -> Void) {
      activity.change(on: activity.clock.clock(or: clock)) { $0.count(number, change) }
    }
  }

  /// The current state.
  public var state: State { shared.withLock { $0.machine.state } }

  /// The number of requests that are under way, without the suspended ones.
  public var requestCount: Int { shared.withLock { $0.underWay } }

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
  private func change(on clock: @autoclosure () -> SessionClock, _ body: (inout Shared) -> ActivityMachine.Change?) {
    let (timer, wait) = shared.withLock { shared -> (ScheduledTimer?, ActivityMachine.Wait?) in
      guard let change = body(&shared) else { return (nil, nil) }
      if !shared.streams.isEmpty { shared.reports.append((change.state, Array(shared.streams.values))) }
      defer { shared.timer = nil }
      return (shared.timer, change.wait)
    }
    report()
    // A clock may be the caller's, so no lock is held.
    timer?.cancel()
    if let wait { setTimer(for: wait, on: clock()) }
  }

  private func setTimer(for wait: ActivityMachine.Wait, on clock: SessionClock) {
    let delay = wait.isForStart ? startDelay : completionDelay
    let timer = clock.schedule(delay) { [weak self] in self?.change(on: clock) { $0.machine.waitEnded(wait) } }
    let isOver = shared.withLock { shared in
      guard shared.machine.isWaiting(for: wait) else { return true }
      shared.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }
}

/// The requests of one session that are under way.
struct RequestCount: Sendable {
  private var started: Set<RequestID> = []
  /// The suspended requests, also those that have not started.
  private var suspended: Set<RequestID> = []
  /// The number of requests that have started and are not suspended.
  private(set) var underWay = 0

  /// Whether there is no request, not even a suspended one.
  var isEmpty: Bool { started.isEmpty && suspended.isEmpty }

  mutating func receive(_ event: SessionEvent) {
    let request = event.request
    if isUnderWay(request) { underWay -= 1 }
    switch event.kind {
    case .started: started.insert(request)
    case .suspended: suspended.insert(request)
    case .resumed: suspended.remove(request)
    case .finished:
      // A request that is cancelled before its start finishes as well.
      started.remove(request)
      suspended.remove(request)
    default: break
    }
    if isUnderWay(request) { underWay += 1 }
  }

  private func isUnderWay(_ request: RequestID) -> Bool { started.contains(request) && !suspended.contains(request) }
}
