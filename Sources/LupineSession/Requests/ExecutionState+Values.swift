import LupineCore

// The results of state changes: each contains the work of the caller outside the lock.

extension ExecutionState {
  /// The next step of a task that awaits the outcome.
  enum Role {
    case lead
    case follow
    case take(RequestOutcome)
  }

  /// The work that ends when the request or its attempt is cancelled.
  struct Cancellation {
    let control: ExchangeControl?
    let works: [@Sendable () -> Void]
    let gates: [Gate]
    let mustFinish: Bool
    /// Whether listeners wait for the outcome.
    var hasListeners = false
  }

  /// The work that remains when a request has ended.
  struct End {
    let followers: [Follower]
    let gates: [Gate]
    /// Whether a task must call the handlers.
    let mustDeliver: Bool
    /// The listeners that were added while the request ended.
    let listeners: [OutcomeListener]
  }

  /// The state that an exchange needs at its beginning.
  struct Beginning {
    /// The reason to end the exchange at once, if there is one.
    let ended: LupineError?
    let isSuspended: Bool
    /// Whether the idle timeout has not been checked since the previous exchange ended by it.
    let wasIdleTimeoutStopped: Bool
  }

  /// The values of an exchange whose body has ended successfully.
  struct Conclusion {
    let control: ExchangeControl?
    let sent: OutgoingRequest?
    /// Whether the caller reports the end of the exchange (`received`).
    let reportsEnd: Bool
  }
}
