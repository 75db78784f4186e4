import LupineCore

/// What a hedged exchange knows of its tries; each change returns what is to be done, outside the lock.
struct HedgingState {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Delivery = @Sendable () -> Void

  enum Action {
    /// Another try was promised, and is to begin.
    case beginAnother
    /// The budget allows no other try.
    case makeDo
    case deliver(Delivery)
    case wait
  }

  var continuation: CheckedContinuation<Outcome, Never>?
  /// The tries that there may be, the first one included.
  private var total: Int
  private let budget: RetryBudget
  private let url: HTTPURL
  private var controls: [ExchangeControl] = []
  /// The tries that may still bring an answer.
  private var hopeful: Set<Int> = []
  /// The tries that have made sure, by the budget, of another one after them, which has not begun; none once it is
  /// decided that no other begins.
  private var promises: Set<Int> = []
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

  var mayBegin: Bool { isOpen && controls.count + promises.count < total }

  private var isOpen: Bool { winner == nil && !isCancelled && continuation != nil }

  /// Makes sure of another try after this one; nil where there may be none, false where the budget is spent: then none
  /// follows any more.
  mutating func promise(after index: Int) -> Bool? {
    if promises.contains(index) { return true }
    guard mayBegin else { return nil }
    guard budget.take(for: url) else {
      total = controls.count + promises.count
      return false
    }
    promises.insert(index)
    return true
  }

  /// Begins the first try, or the one that was promised after another; nil where somebody else has kept the promise, or
  /// it was broken.
  mutating func begin(_ control: ExchangeControl, after index: Int?) -> Int? {
    if let index, promises.remove(index) == nil { return nil }
    guard mayBegin else { return nil }
    controls.append(control)
    running += 1
    hopeful.insert(controls.count - 1)
    return controls.count - 1
  }

  /// Keeps a timer that is cancelled at the end; true where that has come.
  mutating func keep(_ timer: Task<Void, Never>) -> Bool {
    guard mayBegin else { return true }
    timers.append(timer)
    return false
  }

  /// Makes do with the tries there are.
  mutating func beginNoMore() {
    breakPromises()
    total = controls.count
  }

  /// The delivery of the outcome, where all have ended without an answer and none is to begin.
  mutating func settle() -> Delivery? {
    running == 0 && promises.isEmpty && winner == nil && continuation != nil ? deliver(failed) : nil
  }

  /// Takes a head as the answer, where it is good or the last there can be; returns the tries to cancel.
  mutating func claim(_ index: Int, _ isGood: Bool) -> [ExchangeControl]? {
    guard winner == nil, !isCancelled else { return nil }
    guard isGood || (hopeful == [index] && controls.count >= total) else {
      hopeful.remove(index)
      return nil
    }
    winner = index
    breakPromises()
    return controls.indices.filter { $0 != index }.map { controls[$0] }
  }

  mutating func end(_ index: Int, _ outcome: Outcome) -> Action {
    running -= 1
    hopeful.remove(index)
    if case .failure(let error) = outcome { failure = error }
    if winner == index { return .deliver(deliver(outcome)) }
    switch promise(after: index) {
    case true?: return .beginAnother
    case false?: return .makeDo
    case nil: return settle().map { .deliver($0) } ?? .wait
    }
  }

  /// Ends all tries; returns what ends them.
  mutating func cancel() -> [ExchangeControl] {
    isCancelled = true
    breakPromises()
    stopTimers()
    return controls
  }

  /// The tries that may still read a bad answer's body, where there was no good one.
  var leftovers: [ExchangeControl] { winner == nil ? controls : [] }

  private var failed: Outcome {
    .failure(failure ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// What was paid for a try that is not made goes back.
  private mutating func breakPromises() {
    for _ in promises { budget.giveBack(to: url) }
    promises = []
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
