import LupineCore

/// What a hedged exchange knows of its tries; each change returns what is to be done, outside the lock.
struct HedgingState {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Delivery = @Sendable () -> Void

  enum Action {
    case beginAnother
    case deliver(Delivery)
    case wait
  }

  var continuation: CheckedContinuation<Outcome, Never>?
  private var total: Int
  private var controls: [TransferControl] = []
  /// The tries that may still bring an answer.
  private var hopeful: Set<Int> = []
  private var running = 0
  private var winner: Int?
  private var isCancelled = false
  private var failure: LupineError?
  private var timers: [Task<Void, Never>] = []

  init(total: Int) { self.total = total }

  var mayBegin: Bool { controls.count < total && winner == nil && !isCancelled && continuation != nil }

  mutating func begin(_ control: TransferControl) -> Int? {
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
  mutating func beginNoMore() -> Delivery? {
    total = controls.count
    return running == 0 && winner == nil && continuation != nil ? deliver(failed) : nil
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
    if !isCancelled, controls.count < total { return .beginAnother }
    return running == 0 ? .deliver(deliver(failed)) : .wait
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
