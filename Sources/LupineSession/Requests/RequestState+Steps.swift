import LupineCore

// What changes of a request's state say is to be done, outside the lock.

extension RequestState {
  /// What someone who wants the outcome does.
  enum Role {
    case lead
    case follow
    case take(Outcome)
  }

  /// What is to be ended where the request, or its attempt, is.
  struct Cancellation {
    let control: ExchangeControl?
    let works: [@Sendable () -> Void]
    let gates: [Gate]
    let mustFinish: Bool
  }

  /// What is to be known where an exchange begins.
  struct Beginning {
    /// The reason to give it up at once, if there is one.
    let ended: LupineError?
    let isSuspended: Bool
    /// Whether nobody has watched since the exchange before was idle too long.
    let wasUnwatched: Bool
  }

  /// What an exchange was whose body has come to a good end.
  struct Conclusion {
    let control: ExchangeControl?
    let sent: OutgoingRequest?
    /// Whether its end is to be told.
    let isToTell: Bool
  }

  /// What a request that is watched has begun, and when.
  struct Watched {
    let started: Duration
    /// When it must have ended, whatever its timeouts.
    let deadline: Duration?
    /// When the attempt began, where its time has a bound.
    let attempt: Duration?
    /// The exchange that must not be idle.
    let exchange: ExchangeControl?
    /// The bounds that an adapter or an interceptor gave the request.
    let changedTimeouts: Timeouts?
  }
}
