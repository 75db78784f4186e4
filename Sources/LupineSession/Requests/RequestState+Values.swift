import HTTPTypes
import LupineCore
import LupineSupport

// The results of state changes: each contains the work of the caller outside the lock.

extension RequestState {
  /// What a task that awaits the outcome must do.
  enum Role {
    case lead
    case follow
    case take(RequestOutcome)
  }

  /// What to end when the request or its attempt is cancelled.
  struct Cancellation {
    let control: ExchangeControl?
    let works: [@Sendable () -> Void]
    let gates: [Gate]
    let mustFinish: Bool
  }

  /// The state that an exchange needs at its beginning.
  struct Beginning {
    /// The reason to end the exchange at once, if there is one.
    let ended: LupineError?
    let isSuspended: Bool
    /// Whether the idle timeout has not been checked since the previous exchange ended by it.
    let wasUnwatched: Bool
  }

  /// The values of an exchange whose body has ended successfully.
  struct Conclusion {
    let control: ExchangeControl?
    let sent: OutgoingRequest?
    /// Whether the caller reports the end of the exchange (`received`).
    let isToTell: Bool
  }

  /// The values that deadlines are checked against.
  struct Watched {
    let started: Duration
    /// The deadline of the request, independent of its timeouts.
    let deadline: Duration?
    /// The start time of the attempt, if it has a timeout.
    let attempt: Duration?
    /// The exchange that the idle timeout applies to.
    let exchange: ExchangeControl?
    /// The timeouts that an adapter or an interceptor set.
    let changedTimeouts: Timeouts?
  }
}

extension RequestState {
  /// State that few requests need, such as followers, earlier exchanges and retries.
  struct Rare {
    var followers: [Follower] = []
    var gates: [Gate] = []
    /// The tasks that wait until the body is handed over.
    var headWaiters: [Gate] = []
    /// The closures that cancel running code of the program; the innermost is last.
    var works: [@Sendable () -> Void] = []
    /// The metrics of the newest exchanges before the last one.
    var earlierMetrics: [TransferMetrics] = []
    /// The timeouts that a modifier, an adapter or an interceptor set instead of the described ones.
    var changedTimeouts: Timeouts?
    /// The start time of the running attempt, if it has a timeout.
    var attemptStarted: Duration?
    /// The error of the running attempt, if it has timed out.
    var attemptEnd: LupineError?
    /// The outcome of the attempt before, until another attempt begins an exchange.
    var earlier: RequestOutcome?
    /// The proxy's response that opened the tunnel of the current exchange.
    var tunnel: HTTPResponse?
  }

  /// Whether the request has no rare state and no settings other than validators.
  var isPlain: Bool { rare == nil && settings.areDefault }

  /// See `Rare.changedTimeouts`.
  var changedTimeouts: Timeouts? { rare?.value.changedTimeouts }
  /// See `Rare.attemptStarted`.
  var attemptStarted: Duration? { rare?.value.attemptStarted }
  /// See `Rare.attemptEnd`.
  var attemptEnd: LupineError? { rare?.value.attemptEnd }
  /// See `Rare.tunnel`.
  var tunnel: HTTPResponse? {
    get { rare?.value.tunnel }
    set { change { $0.tunnel = newValue } }
  }
  /// See `Rare.earlier`.
  var earlier: RequestOutcome? { rare?.value.earlier }

  /// Keeps the outcome of an attempt that is retried.
  ///
  /// If the attempt sent nothing, the response kept before stays.
  mutating func keepEarlier(_ outcome: RequestOutcome) {
    var outcome = outcome
    if let earlier { outcome.follow(earlier, keepingResponse: true) }
    change { $0.earlier = outcome }
  }

  /// Releases the outcome of the earlier attempt, because another attempt has begun an exchange.
  mutating func dropEarlier() {
    if earlier != nil { change { $0.earlier = nil } }
  }

  /// Applies the timeouts that were set after the request was described; returns them, or `nil` if there are none.
  mutating func takeOwnTimeouts() -> Timeouts? {
    guard let timeouts = settings.options?.timeouts else { return nil }
    change { $0.changedTimeouts = timeouts }
    return timeouts
  }

  mutating func change(_ change: (inout Rare) -> Void) { rare.change(from: Rare(), change) }
}
