import LupineFoundation

// A body whose rest goes on without its consumer.
extension BodyChannelState {
  /// What a detached body leaves to its successor.
  struct Rest {
    /// The bytes that no observer has received.
    let bytes: Data
    /// The end that the transport has reported, if it has.
    let ending: End?
    let isPaused: Bool
    let resume: (@Sendable () -> Void)?
    /// The observers of the end that belong to the exchange.
    let observers: [BodyEndListeners.Observer]
  }

  /// Ends this body with an error, and returns the rest of it; `nil` if it has ended or has no observer of its bytes.
  ///
  /// The transport's later calls go to `successor`.
  mutating func detach(to successor: ExchangeControl, _ error: LupineError) -> (rest: Rest, effects: Effects)? {
    guard isBegun, !isSettled, !isAbandoned, !tees.isEmpty, fault == nil, cancellation == nil else { return nil }
    if case .failure = ending { return nil }
    if content.hasTakenEnd { return nil }
    let rest = Rest(
      bytes: content.takeUnobserved(), ending: ending, isPaused: isPaused && ending == nil, resume: resume.take(),
      observers: listeners.takeExchangeObservers())
    if ending == nil { self.successor = successor }
    replaceEnding(with: error)
    return (rest, effects())
  }

  /// Begins the body with the rest of another one.
  mutating func begin(with rest: Rest) {
    isBegun = true
    resume = rest.resume
    for observer in rest.observers { listeners.add(observer) }
    // A body without a destination has no limit.
    try? content.write(rest.bytes)
    isPaused = rest.isPaused
    ending = rest.ending
  }
}
