public import LupineCore

/// Retries a request that failed without a network, as soon as there is a network again.
///
/// The retrier acts only after a failure: reachability never decides whether to send. If the network does not return in
/// time, or was not missing, later retriers decide, such as a `RetryPolicy`. All waiting requests share one watch of
/// the network.
///
/// A request that may have reached the server waits only if it is idempotent (RFC 9110 section 9.2.2). A request to the
/// loopback interface does not wait.
public struct OfflineRetrier: Retrier {
  private let maximumWait: Duration
  private let limit: Int
  private let network: any NetworkConditionsSource

  /// Creates a retrier that waits for the network of a source of paths.
  ///
  /// - Parameters:
  ///   - maximumWait: how long a request waits for the network after each failure, on the session's clock. Default: 5
  ///     seconds.
  ///   - limit: the number of attempts after which a request does not wait again. Default: 10.
  ///   - source: the source of the network's state. Default: the kernel.
  public init(maximumWait: Duration = .seconds(5), limit: Int = 10, source: some NetworkPathSource = .kernel) {
    self.init(maximumWait: maximumWait, limit: limit, network: NetworkReachabilityManager(source: source))
  }

  /// Creates a retrier that waits for the network of any source of conditions.
  ///
  /// - Parameters:
  ///   - maximumWait: how long a request waits for the network after each failure, on the session's clock. Default: 5
  ///     seconds.
  ///   - limit: the number of attempts after which a request does not wait again. Default: 10.
  ///   - network: the source of the network's conditions.
  public init(maximumWait: Duration = .seconds(5), limit: Int = 10, network: some NetworkConditionsSource) {
    self.maximumWait = maximumWait
    self.limit = limit
    self.network = network
  }

  /// Waits for the network if there is none; returns `retry` if it comes back in time.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    // If the availability is `unknown`, waiting has no known use.
    guard attempt.number < limit, failedWithoutNetwork(attempt), !attempt.request.url.isLoopback,
      network.conditions.availability == .unavailable
    else { return .doNotRetry }
    return await network.waitUntilAvailable(within: maximumWait, on: attempt.clock) ? .retry : .doNotRetry
  }

  /// `false`: a serializer that fails has received a response, so another attempt is not the remedy.
  public var decidesAboutSerializers: Bool { false }

  private func failedWithoutNetwork(_ attempt: AttemptOutcome) -> Bool {
    if attempt.failedInSerializer { return false }
    return switch attempt.error?.kind {
    case .hostNotFound, .networkUnreachable, .connectionFailed, .timedOut(.connect): true
    case .connectionLost, .timedOut(.idle): attempt.request.isIdempotent
    default: false
    }
  }
}

extension Retrier where Self == OfflineRetrier {
  /// Retries requests that failed without a network, as soon as there is one within the given time.
  public static func offline(waitingUpTo maximumWait: Duration = .seconds(5)) -> OfflineRetrier {
    OfflineRetrier(maximumWait: maximumWait)
  }
}
