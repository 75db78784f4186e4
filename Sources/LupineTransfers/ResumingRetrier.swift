import HTTPTypes
import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// Retries the attempts of one download as long as they make progress.
final class ResumingRetrier: Retrier {
  private struct State {
    var length: Int64 = 0
    var failures = 0
  }

  private let consumer: DownloadConsumer
  private let limit: Int
  private let delay: Duration
  private let state = Mutex(State())

  init(consumer: DownloadConsumer, limit: Int, delay: Duration) {
    self.consumer = consumer
    self.limit = limit
    self.delay = delay.bounded
  }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard attempt.request.method == .get, let error = attempt.error, Self.isInterruption(error.kind)
    else { return .doNotRetry }
    let length = await consumer.length
    let failures = state.withLock { state in
      state.failures = length > state.length ? 1 : state.failures + 1
      state.length = length
      return state.failures
    }
    guard failures <= limit else { return .doNotRetry }
    return .retry(after: min(.seconds(60), delay * Int(1 << min(failures - 1, 16))))
  }

  var decidesAboutSerializers: Bool { false }

  private static func isInterruption(_ kind: LupineError.Kind) -> Bool {
    switch kind {
    case .connectionLost, .connectionRefused, .connectionFailed, .networkUnreachable, .hostNotFound, .timedOut(.idle),
      .timedOut(.connect), .timedOut(.attempt):
      true
    default: false
    }
  }
}
