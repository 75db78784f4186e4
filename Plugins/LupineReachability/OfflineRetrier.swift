public import LupineCore

/// Holds a request that failed for want of a network until there is one, and has it sent again.
///
/// It is asked after a failure only: reachability never decides whether to send. When the network does not come back in
/// time, or was not the reason, the answer is left to the retriers behind it, such as a `RetryPolicy`. However many
/// requests wait, the network is watched once.
///
/// A request that may have reached the server is held only where it may be repeated (RFC 9110 section 9.2.2). One to
/// this machine itself is not held.
public struct OfflineRetrier: Retrier {
  private let maximumWait: Duration
  private let limit: Int
  private let source: any NetworkPathSource
  private let feed: ChangeFeed<ReachabilityStatus>

  /// Sets the policy.
  ///
  /// - Parameters:
  ///   - maximumWait: how long a request waits for the network, each time, on the session's clock. Default: 5 seconds.
  ///   - limit: the attempts after which nothing is held any more, for a network that comes and goes. Default: 10.
  ///   - source: who tells. Default: the kernel.
  public init(
    maximumWait: Duration = .seconds(5), limit: Int = 10, source: some NetworkPathSource = .kernel
  ) {
    self.maximumWait = maximumWait
    self.limit = limit
    self.source = source
    feed = ChangeFeed { receive in source.watch(nil) { receive($0.status) } }
  }

  /// Waits for the network where there is none, then has the request sent again.
  public func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard attempt.number < limit, failedForWantOfNetwork(attempt), !attempt.request.url.isLoopback else {
      return .doNotRetry
    }
    let stream = feed.stream()
    // A status of `unknown` holds nothing back: who cannot ask does not know that waiting helps.
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

  private func failedForWantOfNetwork(_ attempt: AttemptOutcome) -> Bool {
    switch attempt.error?.kind {
    case .hostNotFound, .networkUnreachable, .connectionFailed, .timedOut(.connect): true
    case .connectionLost, .timedOut(.idle): attempt.request.isIdempotent
    default: false
    }
  }
}

extension Retrier where Self == OfflineRetrier {
  /// Holds what failed for want of a network until there is one, for so long at most.
  public static func offline(waitingUpTo maximumWait: Duration = .seconds(5)) -> OfflineRetrier {
    OfflineRetrier(maximumWait: maximumWait)
  }
}
