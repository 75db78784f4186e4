import LupineCore

/// What a hedged exchange knows of its tries; each change returns what is to be done, outside the lock.
struct HedgingState {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Delivery = @Sendable () -> Void

  enum Action {
    case beginAnother(isPromised: Bool)
    case deliver(Delivery)
    case wait
  }

  var continuation: CheckedContinuation<Outcome, Never>?
  private var total: Int
  private var controls: [TransferControl] = []
  /// The tries that may still bring an answer.
  private var hopeful: Set<Int> = []
  /// The tries that have made sure, by the budget, of another one after them, which has not begun.
  private var promises: Set<Int> = []
  private var running = 0
  private var winner: Int?
  private var isCancelled = false
  private var failure: LupineError?
  private var timers: [Task<Void, Never>] = []

  init(total: Int) { self.total = total }

  var mayBegin: Bool { isOpen && controls.count + promises.count < total }

  private var isOpen: Bool { winner == nil && !isCancelled && continuation != nil }

  /// Makes sure of another try after this one; false where the payment fails, nil where there may be none.
  mutating func promise(after index: Int, pay: () -> Bool) -> Bool? {
    if isOpen, promises.contains(index) { return true }
    guard mayBegin else { return nil }
    guard pay() else { return false }
    promises.insert(index)
    return true
  }

  /// Begins the first try, or the one that was promised after another.
  mutating func begin(_ control: TransferControl, after index: Int?) -> Int? {
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

  /// Makes do with the tries there are; returns the delivery of the outcome, where all have ended without an answer.
  mutating func beginNoMore(breakingPromises: Bool) -> Delivery? {
    if breakingPromises { promises = [] }
    total = controls.count + promises.count
    return running == 0 && promises.isEmpty && winner == nil && continuation != nil ? deliver(failed) : nil
  }

  /// Takes a head as the answer, where it is good or the last there can be; returns the tries to cancel.
  mutating func claim(_ index: Int, _ isGood: Bool) -> [TransferControl]? {
    guard winner == nil, !isCancelled else { return nil }
    guard isGood || (hopeful == [index] && controls.count >= total) else {
      hopeful.remove(index)
      return nil
    }
    winner = index
    return controls.indices.filter { $0 != index }.map { controls[$0] }
  }

  mutating func end(_ index: Int, _ outcome: Outcome) -> Action {
    running -= 1
    hopeful.remove(index)
    if case .failure(let error) = outcome { failure = error }
    if winner == index { return .deliver(deliver(outcome)) }
    if winner != nil { return .wait }
    let isPromised = promises.contains(index)
    if !isCancelled, isPromised || mayBegin { return .beginAnother(isPromised: isPromised) }
    return running == 0 && (isCancelled || promises.isEmpty) ? .deliver(deliver(failed)) : .wait
  }

  /// Ends all tries; returns what ends them.
  mutating func cancel() -> [TransferControl] {
    isCancelled = true
    stopTimers()
    return controls
  }

  /// The tries that may still read a bad answer's body, where there was no good one.
  var leftovers: [TransferControl] { winner == nil ? controls : [] }

  private var failed: Outcome {
    .failure(failure ?? LupineError(.cancelled, "The request was cancelled."))
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
