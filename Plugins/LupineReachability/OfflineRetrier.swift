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
  private let source: any NetworkPathSource
  private let feed: ChangeFeed<ReachabilityStatus>

  /// Creates a retrier.
  ///
  /// - Parameters:
  ///   - maximumWait: how long a request waits for the network after each failure, on the session's clock. Default: 5
  ///     seconds.
  ///   - limit: the number of attempts after which a request does not wait again. Default: 10.
  ///   - source: the source of the network's state. Default: the kernel.
  public init(
    maximumWait: Duration = .seconds(5), limit: Int = 10, source: some NetworkPathSource = .kernel
  ) {
    self.maximumWait = maximumWait
    self.limit = limit
    self.source = source
    feed = ChangeFeed { receive in source.watch(nil) { receive($0.status) } }
  }

  /// Waits for the network if there is none; returns `retry` if it comes back in time.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard attempt.number < limit, failedWithoutNetwork(attempt), !attempt.request.url.isLoopback else {
      return .doNotRetry
    }
    let stream = feed.stream()
    // If the status is `unknown`, waiting has no known use.
    guard (feed.latest ?? source.currentPath(to: nil).status) == .notReachable else { return .doNotRetry }
    return await isBack(stream, within: maximumWait, on: attempt.clock) ? .retry : .doNotRetry
  }

  private func isBack(
    _ stream: AsyncStream<ReachabilityStatus>, within limit: Duration, on clock: any Clock<Duration>
  ) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await status in stream where status.isReachable { return true }
        return false
      }
      group.addTask {
        try? await clock.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func failedWithoutNetwork(_ attempt: AttemptOutcome) -> Bool {
    switch attempt.error?.kind {
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
