import Synchronization

/// The stage that a request has reached; `SessionRequest.state` returns it.
///
/// The transitions are those of this table. There are no others, so a cancelled request stays `cancelled`.
///
/// | From | To | Reason |
/// |---|---|---|
/// | `initialized` | `resumed` | its first handler, its first `await`, or `resume()` |
/// | `initialized`, `resumed` | `suspended` | `suspend()` |
/// | `suspended` | `resumed` | `resume()` |
/// | `initialized`, `resumed`, `suspended` | `cancelled` | `cancel()`, or a cancellation of the task that awaits it |
/// | `initialized`, `resumed`, `suspended` | `finished` | its response, or an error of a kind other than `cancelled` |
public enum RequestState: Sendable, Hashable {
  /// The request has not started.
  ///
  /// A request that waits for its first `resume()`, because it does not start immediately, is also in this state.
  case initialized
  /// The request runs.
  case resumed
  /// The request is suspended, before or after its start.
  case suspended
  /// The request was cancelled; its handlers are called, or have been called, with an error of kind `cancelled`.
  ///
  /// A response that had arrived completely before the cancellation may still be delivered.
  case cancelled
  /// The request has ended, with a response or with an error such as a timeout.
  case finished
}

extension SessionRequest {
  /// The stage that the request has reached; may be read from any thread, also after the end.
  public var state: RequestState { execution.state.withLock { $0.requestState } }

  /// Whether the request has not started.
  public var isInitialized: Bool { state == .initialized }

  /// Whether the request runs.
  public var isResumed: Bool { state == .resumed }

  /// Whether the request is suspended.
  public var isSuspended: Bool { state == .suspended }

  /// Whether the request was cancelled; see `RequestState.cancelled`.
  public var isCancelled: Bool { state == .cancelled }

  /// Whether the request has ended without a cancellation.
  public var isFinished: Bool { state == .finished }

  /// The number of retries so far; 0 without a retrier.
  ///
  /// A retry counts when its request is sent. A retry that ends earlier, during its delay or in an adapter, does not
  /// count. The connections that an event stream makes after one that ended are not retries. May be read from any
  /// thread, also after the end.
  public var retryCount: Int { execution.state.withLock { $0.retryCount } }
}

extension ExecutionState {
  /// The stage that the request has reached.
  var requestState: RequestState {
    if cancellation?.kind == .cancelled { return .cancelled }
    if hasFinished { return .finished }
    if isSuspended { return .suspended }
    // An awaited request that is held waits for its first `resume()`.
    if case .running = phase, !isHeld { return .resumed }
    return .initialized
  }
}
