import LupineCore

/// The state of a hedged exchange; each change returns the action to perform outside the lock.
struct HedgingState {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Delivery = @Sendable () -> Void

  enum Action {
    /// Start the reserved try.
    case beginReserved
    /// Start no further try, because the budget is exhausted.
    case stopHedging
    case deliver(Delivery)
    case wait
  }

  var continuation: CheckedContinuation<Outcome, Never>?
  /// The maximum number of tries, including the first one.
  private var total: Int
  private let budget: RetryBudget
  private let url: HTTPURL
  private var controls: [ExchangeControl] = []
  /// The tries that may still bring a response.
  private var undecided: Set<Int> = []
  /// The tries after which another try is paid for but not started; empty once no further try may start.
  private var reservations: Set<Int> = []
  private var running = 0
  private var winner: Int?
  private var isCancelled = false
  private var failure: LupineError?
  private var timers: [Task<Void, Never>] = []

  init(hedges: Int, budget: RetryBudget, url: HTTPURL) {
    total = 1 + min(max(0, hedges), .max - 1)
    self.budget = budget
    self.url = url
  }

  var canBegin: Bool { isOpen && controls.count + reservations.count < total }

  private var isOpen: Bool { winner == nil && !isCancelled && continuation != nil }

  /// Reserves another try after this one.
  ///
  /// Returns `nil` if no other try is allowed, and false if the budget is exhausted; then no further try starts.
  mutating func reserve(after index: Int) -> Bool? {
    if reservations.contains(index) { return true }
    guard canBegin else { return nil }
    guard budget.take(for: url) else {
      total = controls.count + reservations.count
      return false
    }
    reservations.insert(index)
    return true
  }

  /// Begins the first try, or the one that was reserved after another.
  ///
  /// Returns `nil` if the reserved try has already begun or was withdrawn.
  mutating func begin(_ control: ExchangeControl, after index: Int?) -> Int? {
    if let index, reservations.remove(index) == nil { return nil }
    guard canBegin else { return nil }
    controls.append(control)
    running += 1
    undecided.insert(controls.count - 1)
    return controls.count - 1
  }

  /// Stores a timer, which is cancelled at the end; returns true if the end is already reached.
  mutating func store(_ timer: Task<Void, Never>) -> Bool {
    guard canBegin else { return true }
    timers.append(timer)
    return false
  }

  /// Prevents further tries.
  mutating func stopBeginning() {
    releaseReservations()
    total = controls.count
  }

  /// Returns the delivery of the result if all tries have ended without a response and none is pending.
  mutating func settle() -> Delivery? {
    running == 0 && reservations.isEmpty && winner == nil && continuation != nil ? deliver(failed) : nil
  }

  /// Selects a response by its head if it is good or the last possible one; returns the tries to cancel.
  mutating func claim(_ index: Int, _ isGood: Bool) -> [ExchangeControl]? {
    guard winner == nil, !isCancelled else { return nil }
    guard isGood || (undecided == [index] && controls.count >= total) else {
      undecided.remove(index)
      return nil
    }
    winner = index
    releaseReservations()
    return controls.indices.filter { $0 != index }.map { controls[$0] }
  }

  mutating func end(_ index: Int, _ outcome: Outcome) -> Action {
    running -= 1
    undecided.remove(index)
    if case .failure(let error) = outcome { failure = error }
    if winner == index { return .deliver(deliver(outcome)) }
    switch reserve(after: index) {
    case true?: return .beginReserved
    case false?: return .stopHedging
    case nil: return settle().map { .deliver($0) } ?? .wait
    }
  }

  /// Ends all tries; returns their controls.
  mutating func cancel() -> [ExchangeControl] {
    isCancelled = true
    releaseReservations()
    stopTimers()
    return controls
  }

  /// The tries that may still read a bad response's body, if there was no good response.
  var unfinishedControls: [ExchangeControl] { winner == nil ? controls : [] }

  private var failed: Outcome {
    .failure(failure ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Returns the budget of reserved tries that do not start.
  private mutating func releaseReservations() {
    for _ in reservations { budget.giveBack(to: url) }
    reservations = []
  }

  private mutating func deliver(_ outcome: Outcome) -> Delivery {
    stopTimers()
    let continuation = continuation
    self.continuation = nil
    return { continuation?.resume(returning: outcome) }
  }

  private mutating func stopTimers() {
    for timer in timers { timer.cancel() }
    timers = []
  }
}
