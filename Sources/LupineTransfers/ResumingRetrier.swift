import HTTPTypes
import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// Retries the attempts of one download as long as they make progress.
final class ResumingRetrier: Retrier {
  private let consumer: DownloadConsumer
  private let backoff: Mutex<ResumeBackoff>

  init(consumer: DownloadConsumer, limit: Int, delay: Duration) {
    self.consumer = consumer
    backoff = Mutex(ResumeBackoff(limit: limit, delay: delay.bounded))
  }

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard attempt.request.method == .get, attempt.error?.isLostConnection == true else { return .doNotRetry }
    let length = await consumer.length
    return backoff.withLock { $0.delayAfterFailure(progress: length) }.map { .retry(after: $0) } ?? .doNotRetry
  }

  var decidesAboutSerializers: Bool { false }
}
