import LupineCore
import LupineSupport

extension RequestState {
  /// What few requests come to need: who waits for it, and what an attempt has beyond its exchange.
  struct Rare {
    var followers: [Follower] = []
    var gates: [Gate] = []
    /// What cancels a program's own code that runs now; the innermost last.
    var works: [@Sendable () -> Void] = []
    /// What the exchanges before the last one cost, of the newest ones.
    var earlierMetrics: [TransferMetrics] = []
    /// The bounds that hold since a modifier, an adapter or an interceptor gave the request others than the program
    /// described.
    var changedTimeouts: Timeouts?
    /// When the attempt that runs began, where its time has a bound.
    var attemptStarted: Duration?
    /// Why the attempt that runs was ended, where its time was over.
    var attemptEnd: LupineError?
    /// What the retriers said of a response whose body was to be handed over at its head.
    var stepAtHead: Pipeline.RetryStep?
    /// The redirects that the last attempt followed.
    var redirects: [RedirectStep] = []
    /// How the attempt before ended, until another one has begun an exchange.
    var earlier: Outcome?
    /// How many retries each retrier has granted, by its place among them.
    var grantedRetries: [Int: Int] = [:]
  }

  /// Whether it has come to need none of it, and was given nothing but validators: then its end concerns nobody else.
  var isPlain: Bool { rare == nil && settings.areDefault }

  /// See `Rare.changedTimeouts`.
  var changedTimeouts: Timeouts? { rare?.value.changedTimeouts }
  /// See `Rare.attemptStarted`.
  var attemptStarted: Duration? { rare?.value.attemptStarted }
  /// See `Rare.attemptEnd`.
  var attemptEnd: LupineError? { rare?.value.attemptEnd }
  /// See `Rare.stepAtHead`.
  var stepAtHead: Pipeline.RetryStep? {
    get { rare?.value.stepAtHead }
    set { change { $0.stepAtHead = newValue } }
  }
  /// See `Rare.redirects`.
  var redirects: [RedirectStep] {
    get { rare?.value.redirects ?? [] }
    set { change { $0.redirects = newValue } }
  }
  /// See `Rare.earlier`.
  var earlier: Outcome? { rare?.value.earlier }

  /// Keeps the outcome of an attempt that is retried.
  ///
  /// If the attempt sent nothing, the response kept before stays.
  mutating func keepEarlier(_ outcome: Outcome) {
    var outcome = outcome
    if let earlier { outcome.follow(earlier, keepingResponse: true) }
    change { $0.earlier = outcome }
  }

  /// Lets go of how an attempt ended, since another has begun an exchange.
  mutating func dropEarlier() {
    if earlier != nil { change { $0.earlier = nil } }
  }
  /// See `Rare.grantedRetries`.
  var grantedRetries: [Int: Int] {
    get { rare?.value.grantedRetries ?? [:] }
    set { change { $0.grantedRetries = newValue } }
  }

  /// Takes the bounds that the request was given since it was described, if any, in the place of those; returns them.
  mutating func takeOwnTimeouts() -> Timeouts? {
    guard let timeouts = settings.options?.timeouts else { return nil }
    change { $0.changedTimeouts = timeouts }
    return timeouts
  }

  mutating func change(_ change: (inout Rare) -> Void) { rare.change(from: Rare(), change) }
}
